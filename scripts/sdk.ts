/**
 * Builds the web SDK into dist/sdk. Fails if a script is larger than contract BW2 allows. `--check` writes
 * nothing.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";

const root = join(import.meta.dirname, "..");
if (!existsSync(join(root, "node_modules/esbuild"))) {
  console.error("esbuild is not installed (production install), so the web SDK is not built.");
  process.exit(1);
}
const { buildSdk, writeSdk } = await import("./build/sdkFiles.ts");
const built = await buildSdk(root);
if (!process.argv.includes("--check")) writeSdk(built, join(root, "dist/sdk"));
for (const { gzip, maxBytes, name } of built) {
  const size = gzip.length.toLocaleString("en");
  console.log(`${name}: ${size} of ${maxBytes.toLocaleString("en")} bytes compressed`);
  if (gzip.length > maxBytes) process.exitCode = 1;
}
