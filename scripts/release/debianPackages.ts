/** The parts of the image that come from Debian's packages, which apt downloads and `debian.json` pins. */
import { execFileSync, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { unpackTar } from "modern-tar";
import { plainFile, type RootFile } from "./tarball.ts";

/** A pinned package. */
export interface DebianPackage {
  readonly name: string;
  readonly version: string;
  readonly sha256: string;
  /** An SPDX expression, from the package's copyright file. */
  readonly license: string;
  /** The files of the image, as a regular expression of their paths. Copyright files are always there. */
  readonly files: string;
}

/** The pinned packages, relative to the root of the repository. */
export const debianPins = "packaging/debian.json";

const sha256 = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex");

const architecture = ["-o", "APT::Architecture=amd64"];

/** Downloads a package into an empty folder: the pinned version, else the version that Debian offers now. */
const download = (folder: string, { name, version }: DebianPackage): string | undefined => {
  const lists = join(folder, "../lists");
  const apt = (...parameters: ReadonlyArray<string>): boolean =>
    spawnSync("apt-get", [...architecture, ...parameters], { cwd: folder, stdio: "ignore" }).status === 0;
  const withLists = ["-o", `Dir::State::lists=${lists}`, "-o", "APT::Sandbox::User="];
  const isThere =
    apt("download", `${name}=${version}`) ||
    apt("download", name) ||
    // A machine that never asked for the lists of packages.
    (apt(...withLists, "update") && apt(...withLists, "download", name));
  return isThere ? globSync("*.deb", { cwd: folder })[0] : undefined;
};

/** A downloaded package. */
export interface Downloaded {
  readonly package: DebianPackage;
  readonly files: ReadonlyArray<RootFile>;
}

const filesOf = async (deb: string, { files, name }: DebianPackage): Promise<ReadonlyArray<RootFile>> => {
  const tar = execFileSync("dpkg-deb", ["--fsys-tarfile", deb], { maxBuffer: 1e9 });
  const entries = (await unpackTar(tar)).map(({ data, header }) => ({
    data,
    header,
    path: header.name.replace(/^\.\//, ""),
  }));
  const kept = new RegExp(`^(?:${files}|usr/share/doc/[^/]+/copyright)$`);
  const links = entries.filter(
    ({ header, path }) => /^usr\/share\/doc\/[^/]+$/.test(path) && header.linkname,
  );
  const keptEntries = [...entries.filter(({ path }) => kept.test(path)), ...links];
  const owned = keptEntries.flatMap(({ data, header, path }): ReadonlyArray<RootFile> => {
    const { linkname = "", mode = 0o644, type = "file" } = header;
    if (type === "directory") return [];
    if (type === "symlink") return [{ path, mode: 0o777, content: { linkTo: linkname }, part: name }];
    const target = linkname.replace(/^\.\//, "");
    const bytes = type === "link" ? entries.find((each) => each.path === target)?.data : data;
    return [{ path, mode, content: new Uint8Array(bytes ?? new Uint8Array()), part: name }];
  });
  // Scanners of images read the installed packages from here.
  const control = execFileSync("dpkg-deb", ["--field", deb], { encoding: "utf8" });
  return [...owned, plainFile(`var/lib/dpkg/status.d/${name}`, control, name)];
};

/** The certificates of Debian's authorities in one file, as `update-ca-certificates` writes it. */
const bundled = (files: ReadonlyArray<RootFile>): ReadonlyArray<RootFile> => {
  const isCertificate = ({ path }: RootFile): boolean => path.endsWith(".crt");
  const texts = files
    .filter(isCertificate)
    .map(({ content }) => Buffer.from(content as Uint8Array).toString());
  if (texts.length === 0) return files;
  const bundle = plainFile("etc/ssl/certs/ca-certificates.crt", texts.toSorted().join(""), "ca-certificates");
  return [...files.filter((file) => !isCertificate(file)), bundle];
};

/**
 * Downloads the pinned packages into `cache`. Where Debian offers another version, it is taken and named,
 * unless `isLocked`; then the build fails.
 */
export const debianPackages = async (
  root: string,
  cache: string,
  isLocked: boolean,
): Promise<ReadonlyArray<Downloaded>> => {
  const pins = JSON.parse(readFileSync(join(root, debianPins), "utf8")) as ReadonlyArray<DebianPackage>;
  const found: Array<Downloaded> = [];
  for (const pin of pins) {
    const folder = join(cache, pin.name);
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true });
    const file = download(folder, pin);
    if (file === undefined)
      throw new Error(`apt-get cannot download ${pin.name}: it needs Debian's packages of amd64.`);
    const deb = join(folder, file);
    const version = execFileSync("dpkg-deb", ["--field", deb, "Version"], { encoding: "utf8" }).trim();
    const digest = sha256(readFileSync(deb));
    if (digest !== pin.sha256) {
      const other = `${pin.name} ${version} is not the pinned ${pin.version} (${debianPins})`;
      if (isLocked || version === pin.version) throw new Error(`${other}, or has other bytes.`);
      console.log(`${other}: sums differ from those of a build with the pinned one.`);
    }
    const taken = { ...pin, version, sha256: digest };
    found.push({ package: taken, files: bundled(await filesOf(deb, taken)) });
  }
  return found;
};

/** Pins what was downloaded. */
export const writePins = (root: string, found: ReadonlyArray<Downloaded>): void =>
  writeFileSync(
    join(root, debianPins),
    `${JSON.stringify(
      found.map((each) => each.package),
      null,
      2,
    )}\n`,
  );
