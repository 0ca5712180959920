/**
 * Builds the console into dist/console. Fails if a page loads too much script before maps.
 * `--check` writes nothing. `--quick` compresses less, for tests.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";

const root = join(import.meta.dirname, "..");
if (!existsSync(join(root, "node_modules/esbuild"))) {
  console.error("esbuild is not installed (production install), so the console is not built.");
  process.exit(1);
}
const { buildConsole, maxScriptBytes, writeConsole } = await import("./build/consoleFiles.ts");
const built = await buildConsole(root);
const isQuick = process.argv.includes("--quick");
if (!process.argv.includes("--check")) writeConsole(built, join(root, "dist/console"), isQuick);
const size = `${built.scriptBytes.toLocaleString("en")} bytes of compressed script on its largest page`;
if (built.scriptBytes > maxScriptBytes) {
  console.error(`The console loads ${size}; the maximum is ${maxScriptBytes.toLocaleString("en")}.`);
  process.exit(1);
}
if (!isQuick) console.log(`The console loads ${size}.`);
