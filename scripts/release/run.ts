/**
 * Builds a release into dist/release: `npm run release`. It needs git, Debian's `apt-get`, `dpkg-deb` and
 * `strip` for both architectures (binutils and binutils-aarch64-linux-gnu), and signs by `ssh-keygen` if
 * RELEASE_KEY names a private key. `--locked` refuses packages of Debian that differ from the pinned ones,
 * `--update-debian` pins those that Debian offers, and `--quick` builds larger files in less time, for tests.
 */
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { parseArgs } from "node:util";
import { buildExecutable } from "../build/executable.ts";
import { billOf } from "./bill.ts";
import { buildDeb, debFiles } from "./debPackage.ts";
import { debianPackages, writePins } from "./debianPackages.ts";
import { imageFiles, imageOf } from "./image.ts";
import { filesBelow, npmPackages } from "./npmPackages.ts";
import { releaseOf } from "./Release.ts";
import { writeSums } from "./sums.ts";
import { gzipped, plainFile, tarOf } from "./tarball.ts";

const root = join(import.meta.dirname, "../..");
const flag = { type: "boolean", default: false } as const;
const { values } = parseArgs({ options: { locked: flag, "update-debian": flag, quick: flag } });
// Quick builds keep the symbols of Node.
const strips = values.quick ? [] : ["strip", "aarch64-linux-gnu-strip"];
for (const tool of ["apt-get", "dpkg-deb", "git", ...strips])
  if (spawnSync(tool, ["--version"], { stdio: "ignore" }).error !== undefined) {
    console.error(`${tool} is missing: apt-get install dpkg git binutils binutils-aarch64-linux-gnu`);
    process.exit(1);
  }

const release = releaseOf(root, values.quick);
const { isQuick, time, version } = release;
const out = join(root, "dist/release");
const work = join(root, "dist/.release");
for (const folder of [out, work]) {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
}
const write = (name: string, bytes: string | Uint8Array): void => {
  writeFileSync(join(out, name), bytes);
  console.log(`${name}: ${(bytes.length / 1e6).toFixed(1)} MB`);
};

const debian = await debianPackages(root, join(work, "debian"), values.locked);
if (values["update-debian"]) writePins(root, debian);

const executable = async (arch: "x64" | "arm64") => {
  const built = await buildExecutable({ root, arch, out: join(out, `waypost-linux-${arch}`), isQuick });
  console.log(`waypost-linux-${arch}: ${(built.size / 1e6).toFixed(1)} MB`);
  return [`waypost-linux-${arch}`, built] as const;
};
const executables = [await executable("x64"), await executable("arm64")] as const;
const [[, x64]] = executables;
const program = readFileSync(join(out, "waypost-linux-x64"));

const notices = [
  plainFile("usr/share/doc/waypost/copyright", readFileSync(join(root, "LICENSE"))),
  plainFile("usr/share/doc/waypost/licenses.txt", x64.licenses),
];
const fromDebian = debian.flatMap(({ files }) => files);
const own = imageFiles(program, notices);
write(`waypost_${version}_amd64.oci.tar`, await imageOf(release, [fromDebian, own]));

const deb = debFiles(release, program, notices);
const debName = `waypost_${version}_amd64.deb`;
buildDeb(release, deb, join(work, "deb"), join(out, debName));
console.log(`${debName}: ${(readFileSync(join(out, debName)).length / 1e6).toFixed(1)} MB`);

for (const [name, bytes] of await npmPackages(release, join(work, "npm"))) write(name, bytes);

const folder = `waypost-${version}-docs`;
const pages = filesBelow(root, folder, "{docs/**/*,openapi/*.json,*.md,LICENSE}");
write(`${folder}.tar.gz`, gzipped(await tarOf(pages, time)));

const node = join(x64.packages.node, "bin/node");
const roots = [
  ["image", [...fromDebian, ...own]],
  ["deb", deb],
] as const;
write(
  `waypost-${version}.cdx.json`,
  billOf(release, { executables, debian, roots, node: process.arch === "x64" ? node : process.execPath }),
);
writeSums(out, process.env["RELEASE_KEY"]);
rmSync(work, { recursive: true, force: true });
