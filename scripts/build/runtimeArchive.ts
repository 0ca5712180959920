/** The native programs and libraries that the executable unpacks: compressed bytes, and an index. */
import { createHash } from "node:crypto";
import { globSync, lstatSync, readFileSync, statSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { constants, zstdCompressSync } from "node:zlib";
import type { BundledEntry, BundledIndex } from "../../src/database/embedded/BundledRuntime.ts";
import { postgresIcu } from "./icuData.ts";
import type { Packages } from "./packages.ts";

/** A file and the path it is unpacked to, or a link. */
type Source = { readonly path: string; readonly from: string } | Extract<BundledEntry, { linkTo: string }>;

const unused =
  /\.[ah]$|(^|\/)(pkgconfig|include|man|doc)\/|lib(ecpg|pgtypes|xslt|ossp-uuid)|\/pgxs\/|bin\/pg_ctl$/;

/** The modules of the server that Waypost's schema, `initdb` and functions of the schema load. */
const modules = new Set(["dict_snowball", "plpgsql", "pg_trgm"]);

/**
 * Whether a file is not needed to run Waypost's server: headers, static libraries, documentation, embedded C,
 * extensions and conversions that nothing loads, and pg_ctl.
 */
const isUnused = (path: string): boolean => {
  const name = /lib\/postgresql\/([^/]+)\.so$/.exec(path)?.[1] ?? /\/extension\/(\w+)/.exec(path)?.[1];
  if (name !== undefined) return !modules.has(name);
  return unused.test(path);
};

/** The bytes of a file as they are packed. */
const packedBytes = (path: string): Buffer => {
  const bytes = readFileSync(path);
  return /\/libicudata\.so\.[\d.]+$/.test(path) ? postgresIcu(bytes) : bytes;
};

const filesIn = (folder: string, into: string): ReadonlyArray<Source> =>
  globSync("**/*", { cwd: folder })
    .filter((path) => !isUnused(path) && lstatSync(join(folder, path)).isFile())
    .map((path) => ({ path: `${into}/${path}`, from: join(folder, path) }));

interface Link {
  readonly source: string;
  readonly target: string;
}

/** The links of PostgreSQL. npm packages cannot hold links, so a file lists them. */
const linksOf = (postgres: string): ReadonlyArray<Source> => {
  const links = JSON.parse(
    readFileSync(join(postgres, "native/pg-symlinks.json"), "utf8"),
  ) as ReadonlyArray<Link>;
  return links
    .filter(({ target }) => !isUnused(target))
    .map(({ source, target }) => ({
      path: `postgres/${relative("native", target)}`,
      linkTo: relative(dirname(target), source),
    }));
};

/** Everything that is unpacked, ordered by path. */
const sourcesOf = (packages: Packages, arch: string): ReadonlyArray<Source> => {
  const links = linksOf(packages.postgres);
  const linked = new Set(links.map(({ path }) => path));
  return [
    ...filesIn(join(packages.postgres, "native"), "postgres").filter(({ path }) => !linked.has(path)),
    ...links,
    // sharp's native library searches libvips next to its own folder.
    ...filesIn(join(packages.sharp, "lib"), `sharp/sharp-linux-${arch}/lib`),
    ...filesIn(join(packages.libvips, "lib"), `sharp/sharp-libvips-linux-${arch}/lib`),
  ].toSorted((one, other) => (one.path < other.path ? -1 : 1));
};

const versionOf = (folder: string): string =>
  (JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as { readonly version: string }).version;

/** An archive in the executable. */
export interface Archive {
  readonly index: BundledIndex;
  readonly compressed: Uint8Array;
}

/** Packs files and links. The same input gives the same bytes. `isQuick` compresses less. */
export const pack = (title: string, sources: ReadonlyArray<Source>, isQuick = false): Archive => {
  const digest = createHash("sha256");
  const parts: Array<Buffer> = [];
  const entries = sources.map((source): BundledEntry => {
    if ("linkTo" in source) return source;
    const bytes = packedBytes(source.from);
    parts.push(bytes);
    const isProgram = /(^|\/)bin\//.test(source.path) || (statSync(source.from).mode & 0o111) !== 0;
    return { path: source.path, size: bytes.length, isProgram };
  });
  digest.update(JSON.stringify(entries));
  for (const part of parts) digest.update(part);
  const compressed = zstdCompressSync(Buffer.concat(parts), {
    params: {
      [constants.ZSTD_c_compressionLevel]: isQuick ? 1 : 19,
      [constants.ZSTD_c_enableLongDistanceMatching]: isQuick ? 0 : 1,
    },
  });
  return { index: { id: digest.digest("hex").slice(0, 16), title, entries }, compressed };
};

/** Packs PostgreSQL and the image libraries. */
export const packRuntime = (packages: Packages, arch: string, isQuick = false): Archive =>
  pack(
    `PostgreSQL ${versionOf(packages.postgres).split("-")[0]} and libvips for pictures`,
    sourcesOf(packages, arch),
    isQuick,
  );
