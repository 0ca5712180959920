/**
 * The size of the package of the typed clients: the tarball, the installed files, and each client bundled for
 * a browser. It fails from 40 kB compressed in a browser on, or with a dependency.
 */
import { build } from "esbuild";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { gzipSync } from "node:zlib";

const maxBrowserBytes = 40_000;

const root = join(import.meta.dirname, "../..");
const home = mkdtempSync(join(tmpdir(), "waypost-client-"));
const packed = join(home, "package");
const npm = (...args: ReadonlyArray<string>): string =>
  execFileSync("npm", [...args, "--silent", "--offline", "--no-audit", "--no-fund"], {
    cwd: home,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
  });
const kilobytes = (bytes: number): string => `${(bytes / 1000).toFixed(1)} kB`;

try {
  execFileSync(process.execPath, ["scripts/client.ts", "--out", packed], { cwd: root, stdio: "inherit" });
  const tarball = npm("pack", packed).trim().split("\n").at(-1) ?? "";
  console.log(`tarball: ${kilobytes(statSync(join(home, tarball)).size)}`);

  npm("install", "--prefix", home, join(home, tarball));
  const modules = join(home, "node_modules");
  const packages = readdirSync(modules).filter((name) => !name.startsWith("."));
  const installed = readdirSync(join(modules, "waypost"), { recursive: true, withFileTypes: true })
    .filter((each) => each.isFile())
    .reduce((sum, each) => sum + statSync(join(each.parentPath, each.name)).size, 0);
  console.log(`installed: ${kilobytes(installed)} in the packages ${packages.join(", ")}`);
  if (packages.length !== 1) process.exitCode = 1;

  for (const entry of ["client", "operator", "device"]) {
    const { outputFiles } = await build({
      stdin: { contents: `export * from "waypost/${entry}";`, resolveDir: home },
      bundle: true,
      minify: true,
      format: "esm",
      platform: "browser",
      write: false,
    });
    const contents = outputFiles[0]?.contents ?? new Uint8Array();
    const compressed = gzipSync(contents).length;
    console.log(
      `waypost/${entry} in a browser: ${kilobytes(contents.length)}, ${kilobytes(compressed)} by gzip`,
    );
    if (compressed >= maxBrowserBytes) process.exitCode = 1;
  }
} finally {
  rmSync(home, { recursive: true, force: true });
}
