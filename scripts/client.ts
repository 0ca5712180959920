/**
 * Builds `waypost/client` into dist/: JavaScript and declarations of src/client/ and of the API that it
 * derives from. Node.js does not strip types of files in node_modules, where other programs install the
 * package. `--out <folder>` builds elsewhere.
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
  console.error("TypeScript is not installed (production install), so waypost/client is not built.");
  process.exit(1);
}
// Keeps the console, and the executable, which takes a minute to build.
for (const name of globSync("*", { cwd: out }).filter((each) => !/^(?:waypost|console$)/.test(each)))
  rmSync(join(out, name), { recursive: true });
const { error, status } = spawnSync(tsc, ["-p", "tsconfig.client.json", "--outDir", out], {
  cwd: root,
  stdio: ["ignore", "inherit", "inherit"],
});
if (status !== 0) {
  console.error(error?.message ?? "waypost/client was not built: see the errors of the compiler.");
  process.exit(1);
}

// The compiler rewrites imports in JavaScript only. In declarations, an import of `x.js` finds `x.d.ts` in
// every resolver.
for (const path of globSync("**/*.d.ts", { cwd: out })) {
  const file = join(out, path);
  const text = readFileSync(file, "utf8");
  writeFileSync(file, text.replace(/((?:from |import\()"\.{1,2}\/[^"]+)\.ts"/g, '$1.js"'));
}
