/**
 * Builds dist/waypost, one file that needs no Node, no database and no internet: `npm run build`. `--arch arm64` or `--arch x64`
 * builds for another machine, into dist/waypost-linux-<arch>; `--out <file>` elsewhere.
 */
import { spawnSync } from "node:child_process";
import {
  copyFileSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, resolve } from "node:path";
import process from "node:process";
import { parseArgs } from "node:util";
import { inject } from "postject";
import { archiveAssets } from "../../src/database/CarriedRuntime.ts";
import { bundle } from "./bundle.ts";
import { licenses } from "./licenses.ts";
import { type Arch, packagesFor } from "./packages.ts";
import { packRuntime } from "./runtimeArchive.ts";

const root = join(import.meta.dirname, "../..");
const { values } = parseArgs({ options: { arch: { type: "string" }, out: { type: "string" } } });
const arch = (values.arch ?? process.arch) as Arch;
if (arch !== "x64" && arch !== "arm64") {
  console.error(`There is no build for ${values.arch ?? process.arch}: --arch is x64 or arm64.`);
  process.exit(2);
}
const usual = values.arch === undefined ? "waypost" : `waypost-linux-${arch}`;
const out = resolve(values.out ?? join(root, "dist", usual));
const isForThisMachine = arch === process.arch;

const megabytes = (bytes: number): string => `${(bytes / 1_000_000).toFixed(1)} MB`;
const run = (program: string, parameters: ReadonlyArray<string>): boolean =>
  spawnSync(program, parameters, { stdio: ["ignore", "ignore", "inherit"] }).status === 0;

mkdirSync(dirname(out), { recursive: true });
const work = mkdtempSync(join(dirname(out), ".build-"));
try {
  const packages = packagesFor(root, arch);
  const { inputs, text } = await bundle(root);
  const runtime = packRuntime(packages, arch);
  const carried: Record<string, string> = {};
  const carry = (name: string, content: string | Uint8Array): void => {
    const file = join(work, String(Object.keys(carried).length));
    writeFileSync(file, content);
    carried[name] = file;
  };
  for (const path of globSync("schema/*.sql", { cwd: root }).toSorted()) carried[path] = join(root, path);
  carried["docs/examples/places.geojson"] = join(root, "docs/examples/places.geojson");
  carry("licenses.txt", licenses(root, inputs, packages));
  carry(archiveAssets.index, JSON.stringify(runtime.index));
  carry(archiveAssets.bytes, runtime.compressed);

  const main = join(work, "waypost.cjs");
  writeFileSync(main, text);
  const config = {
    main,
    output: join(work, "blob"),
    disableExperimentalSEAWarning: true,
    // Compiled code is only understood by the very Node that compiled it.
    useCodeCache: isForThisMachine,
    assets: carried,
  };
  writeFileSync(join(work, "sea.json"), JSON.stringify(config));
  const node = join(packages.node, "bin/node");
  // The Node that is carried compiles, so that the compiled code is its own.
  if (!run(isForThisMachine ? node : process.execPath, ["--experimental-sea-config", join(work, "sea.json")]))
    throw new Error("Node could not put the parts together.");

  const file = join(work, "waypost");
  copyFileSync(node, file);
  const strip = isForThisMachine
    ? "strip"
    : arch === "arm64"
      ? "aarch64-linux-gnu-strip"
      : "x86_64-linux-gnu-strip";
  if (!run(strip, [file])) console.log(`Without ${strip} the file keeps Node's symbols: 18 MB more.`);
  await inject(file, "NODE_SEA_BLOB", readFileSync(config.output), {
    sentinelFuse: "NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2",
  });
  const bytes = readFileSync(file);
  renameSync(file, out);
  console.log(
    `${out}: ${megabytes(bytes.length)}, of which ${megabytes(runtime.compressed.length)} are packed programs ` +
      `and ${megabytes(text.length)} this program.`,
  );
} finally {
  rmSync(work, { recursive: true, force: true });
}
