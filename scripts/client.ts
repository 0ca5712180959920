/**
 * Builds the package of the typed clients and the web SDK into dist/: JavaScript and declarations, and a
 * package.json of its own, so that `npm publish dist` and `npm install ./dist` need nothing else of this
 * repository. `--out <folder>` builds elsewhere.
 */
import { spawnSync } from "node:child_process";
import { copyFileSync, existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import process from "node:process";
import { parseArgs } from "node:util";

const root = join(import.meta.dirname, "..");
const { values } = parseArgs({ options: { out: { type: "string" } } });
const out = resolve(values.out ?? join(root, "dist"));

const tsc = join(root, "node_modules/.bin/tsc");
if (!existsSync(tsc)) {
  console.error("TypeScript is not installed (production install), so the clients are not built.");
  process.exit(1);
}
// Keeps the console, and the executable, which takes a minute to build.
for (const name of globSync("*", { cwd: out }).filter((each) => !/^(?:waypost|console$|sdk$)/.test(each)))
  rmSync(join(out, name), { recursive: true });
const compile = (project: string, folder: string) =>
  spawnSync(tsc, ["-p", project, "--outDir", folder], { cwd: root, stdio: ["ignore", "inherit", "inherit"] });
const { error, status } = compile("tsconfig.client.json", out);
const { buildSdk } = await import("./build/sdkFiles.ts");
const web = join(out, "web");
mkdirSync(web, { recursive: true });
for (const { bytes, name } of await buildSdk(root)) writeFileSync(join(web, name), bytes);
const declared = compile("tsconfig.sdk.json", web);
if (status !== 0 || declared.status !== 0) {
  console.error(error?.message ?? "The clients were not built: see the errors of the compiler.");
  process.exit(1);
}

// The compiler rewrites imports in JavaScript only. In declarations, an import of `x.js` finds `x.d.ts` in
// every resolver.
for (const path of globSync("**/*.d.ts", { cwd: out })) {
  const file = join(out, path);
  const text = readFileSync(file, "utf8");
  writeFileSync(
    file,
    text.replace(/((?:from |import\()"\.{1,2}\/[^"]+)\.ts"/g, '$1.js"').replaceAll(/^ *#private;\n/gm, ""),
  );
}

// The declarations of these files are internal, and need the types of a browser or of Node.js.
for (const name of ["Connection", "EndpointGroups", "FileSource"]) rmSync(join(out, `client/${name}.d.ts`));
for (const name of ["device", "worker", "page/PositionWatch.d.ts"])
  rmSync(join(web, name), { recursive: true });

const { description, engines, license, version } = JSON.parse(
  readFileSync(join(root, "package.json"), "utf8"),
) as Readonly<Record<string, unknown>>;
const entry = (name: string) => ({
  types: `./client/${name}.d.ts`,
  default: `./client/${name}.js`,
});
const manifest = {
  name: "waypost",
  version,
  description,
  license,
  type: "module",
  sideEffects: ["./web/inbox.js", "./web/worker.js"],
  exports: {
    "./client": entry("WaypostClient"),
    "./operator": entry("OperatorClient"),
    "./device": entry("DeviceClient"),
    "./web": { types: "./web/page/WaypostPage.d.ts", default: "./web/waypost.js" },
    "./web/worker": "./web/worker.js",
    "./web/inbox": { types: "./web/inbox/WaypostInbox.d.ts", default: "./web/inbox.js" },
  },
  files: ["client", "web"],
  engines,
};
writeFileSync(join(out, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`);
copyFileSync(join(root, "docs/client.md"), join(out, "README.md"));
copyFileSync(join(root, "LICENSE"), join(out, "LICENSE"));
