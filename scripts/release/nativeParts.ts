/** The libraries inside Node, PostgreSQL and libvips, which no lockfile names. */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";

/** A part of the bill. */
export interface Part {
  readonly name: string;
  readonly version: string;
  readonly license: string;
  readonly purl?: string;
  readonly parts?: ReadonlyArray<Part>;
}

const licensesOfNode: Readonly<Record<string, string>> = {
  acorn: "MIT",
  ada: "MIT OR Apache-2.0",
  amaro: "MIT",
  ares: "MIT",
  brotli: "MIT",
  cldr: "Unicode-3.0",
  icu: "Unicode-3.0",
  llhttp: "MIT",
  merve: "MIT",
  nbytes: "MIT",
  ncrypto: "MIT",
  nghttp2: "MIT",
  openssl: "Apache-2.0",
  simdjson: "Apache-2.0 OR MIT",
  simdutf: "Apache-2.0 OR MIT",
  sqlite: "blessing",
  tz: "LicenseRef-public-domain",
  undici: "MIT",
  uv: "MIT",
  uvwasi: "MIT",
  v8: "BSD-3-Clause",
  zlib: "Zlib",
  zstd: "BSD-3-Clause",
};

/** The libraries that Node was built with. `node` is an executable for this machine. */
export const partsOfNode = (node: string): ReadonlyArray<Part> => {
  const text = execFileSync(node, ["--print", "JSON.stringify(process.versions)"], { encoding: "utf8" });
  return Object.entries(JSON.parse(text) as Readonly<Record<string, string>>).flatMap(([name, version]) => {
    const license = licensesOfNode[name];
    return license === undefined || version === "" ? [] : [{ name, version, license }];
  });
};

/** The libraries beside PostgreSQL, as docs/decisions/0002 found them. */
export const partsOfPostgres: ReadonlyArray<Part> = [
  { name: "openssl", version: "1.1.1", license: "OpenSSL" },
  { name: "icu", version: "60.2", license: "ICU" },
  { name: "libxml2", version: "2.9.4", license: "MIT" },
  { name: "liblzma", version: "5.2.2", license: "LicenseRef-public-domain" },
  { name: "zlib", version: "1.2.11", license: "Zlib" },
];

/** Names of libraries in the table of versions and in that of licences. */
const sameLibrary: Readonly<Record<string, string>> = {
  archive: "libarchive",
  exif: "libexif",
  ffi: "libffi",
  heif: "libheif",
  imagequant: "libimagequant",
  png: "libpng",
  rsvg: "librsvg",
  tiff: "libtiff",
  uhdr: "libultrahdr",
  vips: "libvips",
  webp: "libwebp",
  xml2: "libxml2",
};

/** The libraries inside libvips, from the tables of its package. */
export const partsOfLibvips = (folder: string): ReadonlyArray<Part> => {
  const versions = JSON.parse(readFileSync(join(folder, "versions.json"), "utf8")) as Readonly<
    Record<string, string>
  >;
  const rows = readFileSync(join(folder, "README.md"), "utf8").matchAll(/^\| (\S+) +\| (.+?) +\|$/gm);
  const licenses = new Map([...rows].map(([, name = "", license = ""]) => [name, license]));
  return Object.entries(versions).map(([short, version]) => {
    const name = sameLibrary[short] ?? short;
    const license = licenses.get(name);
    if (license === undefined) throw new Error(`The package of libvips names no licence of ${name}.`);
    return { name, version, license: license.replaceAll(/\[([^\]]+)\]\([^)]+\)/g, "$1") };
  });
};
