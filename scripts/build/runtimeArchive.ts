/**
 * The native programs and libraries that the executable unpacks: one compressed row of bytes, and an index of
 * it.
 */
import { createHash } from "node:crypto";
import { globSync, lstatSync, readFileSync, statSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { constants, zstdCompressSync } from "node:zlib";
import type { BundledEntry, BundledIndex } from "../../src/database/embedded/BundledRuntime.ts";
import type { Packages } from "./packages.ts";

/** A file to carry and the path it is unpacked to, or a link. */
type Source = { readonly path: string; readonly from: string } | Extract<BundledEntry, { linkTo: string }>;

/** What running a server has no use for: what is for compiling against it, and its embedded C. */
const isUseless = (path: string): boolean =>
  /\.a$|\.h$|(^|\/)(pkgconfig|include|man|doc)\/|libecpg|libpgtypes|\/pgxs\//.test(path);

const filesIn = (folder: string, into: string): ReadonlyArray<Source> =>
  globSync("**/*", { cwd: folder })
    .filter((path) => !isUseless(path) && lstatSync(join(folder, path)).isFile())
    .map((path) => ({ path: `${into}/${path}`, from: join(folder, path) }));

interface Link {
  readonly source: string;
  readonly target: string;
}

/** npm's packages hold no links: PostgreSQL's are listed in a file. */
const linksOf = (postgres: string): ReadonlyArray<Source> => {
  const links = JSON.parse(
    readFileSync(join(postgres, "native/pg-symlinks.json"), "utf8"),
  ) as ReadonlyArray<Link>;
  return links
    .filter(({ target }) => !isUseless(target))
    .map(({ source, target }) => ({
      path: `postgres/${relative("native", target)}`,
      linkTo: relative(dirname(target), source),
    }));
};

/** All that is unpacked, in the order of the paths. */
const sourcesOf = (packages: Packages, arch: string): ReadonlyArray<Source> => {
  const links = linksOf(packages.postgres);
  const linked = new Set(links.map(({ path }) => path));
  return [
    ...filesIn(join(packages.postgres, "native"), "postgres").filter(({ path }) => !linked.has(path)),
    ...links,
    // sharp's native half looks for libvips beside its own folder.
    ...filesIn(join(packages.sharp, "lib"), `sharp/sharp-linux-${arch}/lib`),
    ...filesIn(join(packages.libvips, "lib"), `sharp/sharp-libvips-linux-${arch}/lib`),
  ].toSorted((one, other) => (one.path < other.path ? -1 : 1));
};

const versionOf = (folder: string): string =>
  (JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as { readonly version: string }).version;

/** An archive as the executable carries it. */
export interface Archive {
  readonly index: BundledIndex;
  readonly compressed: Uint8Array;
}

/** Packs files and links; the same ones give the same bytes, fewer of them where it is not `isQuick`. */
export const pack = (title: string, sources: ReadonlyArray<Source>, isQuick = false): Archive => {
  const digest = createHash("sha256");
  const parts: Array<Buffer> = [];
  const entries = sources.map((source): BundledEntry => {
    if ("linkTo" in source) return source;
    const bytes = readFileSync(source.from);
    parts.push(bytes);
    const isProgram = /(^|\/)bin\//.test(source.path) || (statSync(source.from).mode & 0o111) !== 0;
    return { path: source.path, size: bytes.length, isProgram };
  });
  digest.update(JSON.stringify(entries));
  for (const part of parts) digest.update(part);
  const compressed = zstdCompressSync(Buffer.concat(parts), {
    params: {
      [constants.ZSTD_c_compressionLevel]: isQuick ? 1 : 15,
      [constants.ZSTD_c_enableLongDistanceMatching]: isQuick ? 0 : 1,
    },
  });
  return { index: { id: digest.digest("hex").slice(0, 16), title, entries }, compressed };
};

/** Packs PostgreSQL and the libraries for pictures. */
export const packRuntime = (packages: Packages, arch: string, isQuick = false): Archive =>
  pack(
    `PostgreSQL ${versionOf(packages.postgres).split("-")[0]} and libvips for pictures`,
    sourcesOf(packages, arch),
    isQuick,
  );
