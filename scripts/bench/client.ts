/**
 * The size of the package of the typed clients: the tarball, the installed files, and each client bundled for
 * a browser. The bars are 40 kB compressed in a browser, and no dependency.
 */
import { build } from "esbuild";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { gzipSync } from "node:zlib";
import { figure } from "./Rounds.ts";

const root = join(import.meta.dirname, "../..");
const home = mkdtempSync(join(tmpdir(), "waypost-client-"));
const packed = join(home, "package");
const npm = (...args: ReadonlyArray<string>): string =>
  execFileSync("npm", [...args, "--silent", "--offline", "--no-audit", "--no-fund"], {
    cwd: home,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
  });

try {
  execFileSync(process.execPath, ["scripts/client.ts", "--out", packed], { cwd: root, stdio: "inherit" });
  const tarball = npm("pack", packed).trim().split("\n").at(-1) ?? "";
  figure("tarball", "tarball of the typed clients", "kB", statSync(join(home, tarball)).size / 1000);

  npm("install", "--prefix", home, join(home, tarball));
  const modules = join(home, "node_modules");
  const packages = readdirSync(modules).filter((name) => !name.startsWith("."));
  const installed = readdirSync(join(modules, "waypost"), { recursive: true, withFileTypes: true })
    .filter((each) => each.isFile())
    .reduce((sum, each) => sum + statSync(join(each.parentPath, each.name)).size, 0);
  figure("installed", "typed clients, installed", "kB", installed / 1000);
  if (packages.length !== 1) throw new Error(`Installed: ${packages.join(", ")}`);

  for (const entry of ["client", "operator", "device"]) {
    const { outputFiles } = await build({
      stdin: { contents: `export * from "waypost/${entry}";`, resolveDir: home },
      bundle: true,
      minify: true,
      format: "esm",
      platform: "browser",
      write: false,
    });
    const compressed = gzipSync(outputFiles[0]?.contents ?? new Uint8Array()).length;
    figure(entry, `\`waypost/${entry}\` in a browser, compressed`, "kB", compressed / 1000, { atMost: 40 });
  }
} finally {
  rmSync(home, { recursive: true, force: true });
}
