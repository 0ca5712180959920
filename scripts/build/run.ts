/**
 * Builds dist/waypost, one file that needs no Node, no database and no internet: `npm run build`.
 * `--arch arm64` or `--arch x64` builds dist/waypost-linux-<arch> for another machine. `--out` sets the file.
 */
import { join, resolve } from "node:path";
import process from "node:process";
import { parseArgs } from "node:util";
import { buildExecutable } from "./executable.ts";
import type { Arch } from "./packages.ts";

const root = join(import.meta.dirname, "../..");
const { values } = parseArgs({ options: { arch: { type: "string" }, out: { type: "string" } } });
const arch = (values.arch ?? process.arch) as Arch;
if (arch !== "x64" && arch !== "arm64") {
  console.error(`--arch must be x64 or arm64; it is ${values.arch ?? process.arch}.`);
  process.exit(2);
}
const defaultName = values.arch === undefined ? "waypost" : `waypost-linux-${arch}`;
const out = resolve(values.out ?? join(root, "dist", defaultName));
const megabytes = (bytes: number): string => `${(bytes / 1_000_000).toFixed(1)} MB`;

const { archive, program, size } = await buildExecutable({ root, arch, out });
console.log(
  `${out}: ${megabytes(size)}, with ${megabytes(archive)} of packed programs ` +
    `and ${megabytes(program)} of Waypost.`,
);
