import { execFile } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

const isBundled = process.platform === "linux" && process.arch === "x64";

/**
 * Whether there is a browser for tests: the one of `@sparticuz/chromium` on Linux x64, or the Chrome or
 * Chromium of `CHROME_PATH`.
 */
export const isChromiumAvailable = isBundled || process.env["CHROME_PATH"] !== undefined;

if (!isChromiumAvailable)
  console.warn("Tests in a browser are not run: set CHROME_PATH to the path of a Chrome or Chromium.");

/**
 * The path of the browser. The package unpacks into the temporary folder of its process, and takes a file
 * that another process still writes for a whole one. So a process of its own unpacks into a new folder, which
 * is then renamed.
 */
export const chromiumPath = async (): Promise<string> => {
  const given = process.env["CHROME_PATH"];
  if (given !== undefined) return given;
  const manifest = readFileSync(
    new URL("../../node_modules/@sparticuz/chromium/package.json", import.meta.url),
    "utf8",
  );
  const { version } = JSON.parse(manifest) as { readonly version: string };
  const folder = join(tmpdir(), `waypost-chromium-${version}-${process.getuid?.() ?? 0}`);
  if (!existsSync(folder)) {
    const unpacked = mkdtempSync(`${folder}-`);
    const program = `import("@sparticuz/chromium").then((module) => module.default.executablePath())`;
    await promisify(execFile)(process.execPath, ["-e", program], {
      cwd: import.meta.dirname,
      env: { ...process.env, NODE_OPTIONS: "", TMPDIR: unpacked },
    });
    try {
      renameSync(unpacked, folder);
    } catch {
      // Another process was first.
      rmSync(unpacked, { recursive: true });
    }
  }
  return join(folder, "chromium");
};
