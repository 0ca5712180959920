/**
 * Builds `waypost/client` into dist/: JavaScript and declarations of src/client/ and the contract that it reads. Node.js runs
 * TypeScript directly, but not inside of node_modules, where the package of others finds it. `--out <folder>` builds elsewhere.
 */
import { spawnSync } from "node:child_process";
import { existsSync, globSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import process from "node:process";
import { parseArgs } from "node:util";

const root = join(import.meta.dirname, "..");
const { values } = parseArgs({ options: { out: { type: "string" } } });
const out = resolve(values.out ?? join(root, "dist"));

const tsc = join(root, "node_modules/.bin/tsc");
if (!existsSync(tsc)) {
  console.error("TypeScript is not installed (a production install), so waypost/client is not built here.");
  process.exit(1);
}
// The executable lies in dist/ too, and takes a minute to build.
for (const name of globSync("*", { cwd: out }).filter((each) => !each.startsWith("waypost")))
  rmSync(join(out, name), { recursive: true });
const { error, status } = spawnSync(tsc, ["-p", "tsconfig.client.json", "--outDir", out], {
  cwd: root,
  stdio: ["ignore", "inherit", "inherit"],
});
if (status !== 0) {
  console.error(error?.message ?? "waypost/client was not built: see above.");
  process.exit(1);
}

// The compiler rewrites the imports of JavaScript only, and a declaration beside a .js is found by that name everywhere.
for (const path of globSync("**/*.d.ts", { cwd: out })) {
  const file = join(out, path);
  const text = readFileSync(file, "utf8");
  writeFileSync(file, text.replace(/((?:from |import\()"\.{1,2}\/[^"]+)\.ts"/g, '$1.js"'));
}
