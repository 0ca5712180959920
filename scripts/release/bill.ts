/** The bill of materials of a release in the format CycloneDX 1.6: every part and file, with licences. */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { zstdDecompressSync } from "node:zlib";
import type { Built } from "../build/executable.ts";
import type { Downloaded } from "./debianPackages.ts";
import { type Part, partsOfLibvips, partsOfNode, partsOfPostgres } from "./nativeParts.ts";
import type { Release } from "./Release.ts";
import type { RootFile } from "./tarball.ts";

/** A file of the release: the artifact that has it, and the part that it belongs to. */
interface Listed {
  /** Such as `image` or `waypost-linux-x64`, whose file unpacks it. */
  readonly artifact: string;
  readonly path: string;
  readonly bytes: Uint8Array;
  readonly part: string;
  readonly license: string;
}

const licensesOf = (license: string): ReadonlyArray<object> =>
  /^[\w.+-]+(?: (?:AND|OR|WITH) [\w.+-]+)*$/.test(license) && !license.endsWith("-like")
    ? [{ expression: license }]
    : [{ license: { name: license } }];

const npmPart = (folder: string, name?: string): Part => {
  const manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as {
    readonly name: string;
    readonly version: string;
    readonly license?: string;
  };
  const purl = `pkg:npm/${manifest.name.replace("@", "%40")}@${manifest.version}`;
  return { name: name ?? manifest.name, version: manifest.version, license: manifest.license ?? "MIT", purl };
};

/** The parts of an executable. The libraries of Node are those of `node`, which runs here. */
const partsOfExecutable = (root: string, { bundled, packages }: Built, node: string): ReadonlyArray<Part> => [
  { ...npmPart(packages.node), license: "MIT", parts: partsOfNode(node) },
  { ...npmPart(packages.postgres), license: "PostgreSQL", parts: partsOfPostgres },
  { ...npmPart(packages.libvips), parts: partsOfLibvips(packages.libvips) },
  npmPart(packages.sharp),
  ...bundled.map((folder) => npmPart(join(root, folder))),
];

/** The files that an executable unpacks. */
const filesOfExecutable = (artifact: string, { runtime }: Built): ReadonlyArray<Listed> => {
  const bytes = zstdDecompressSync(runtime.compressed);
  let at = 0;
  return runtime.index.entries.flatMap((entry) => {
    if ("linkTo" in entry) return [];
    at += entry.size;
    const [part, license] = entry.path.startsWith("postgres/")
      ? ["PostgreSQL", "PostgreSQL"]
      : ["libvips", "LGPL-3.0-or-later"];
    return [{ artifact, path: entry.path, bytes: bytes.subarray(at - entry.size, at), part, license }];
  });
};

const component = ({ license, name, parts = [], purl, version }: Part): object => ({
  type: "library",
  name,
  version,
  purl,
  licenses: licensesOf(license),
  components: parts.length === 0 ? undefined : parts.map(component),
});

/** The content of a bill. */
export interface BillParts {
  readonly executables: ReadonlyArray<readonly [artifact: string, built: Built]>;
  readonly debian: ReadonlyArray<Downloaded>;
  readonly roots: ReadonlyArray<readonly [artifact: string, files: ReadonlyArray<RootFile>]>;
  /** Node for this machine. */
  readonly node: string;
}

/** Returns the bill as JSON. The same release gives the same text. */
export const billOf = (
  { commit, root, time, version }: Release,
  { debian, executables, node, roots }: BillParts,
): string => {
  const licenseOfPart = new Map(debian.map((each) => [each.package.name, each.package.license]));
  const parts = executables.flatMap(([, built]) => partsOfExecutable(root, built, node));
  const unique = [...new Map(parts.map((part) => [part.purl, part])).values()];
  const packages = debian.map(({ package: { license, name, version: of } }): Part => ({
    name,
    version: of,
    license,
    purl: `pkg:deb/debian/${encodeURIComponent(name)}@${encodeURIComponent(of)}?arch=amd64&distro=debian-12`,
  }));
  const files = [
    ...roots.flatMap(([artifact, each]) =>
      each.flatMap(({ content, part, path }) =>
        content instanceof Uint8Array
          ? [{ artifact, path, bytes: content, part, license: licenseOfPart.get(part) ?? "Apache-2.0" }]
          : [],
      ),
    ),
    ...executables.flatMap(([artifact, built]) => filesOfExecutable(artifact, built)),
  ];
  const fileComponent = ({ bytes, license, part, path, artifact }: Listed): object => ({
    type: "file",
    name: path,
    hashes: [{ alg: "SHA-256", content: createHash("sha256").update(bytes).digest("hex") }],
    licenses: licensesOf(license),
    properties: [
      { name: "waypost:artifact", value: artifact },
      { name: "waypost:part", value: part },
    ],
  });
  const bill = {
    bomFormat: "CycloneDX",
    specVersion: "1.6",
    version: 1,
    metadata: {
      timestamp: time.toISOString(),
      component: {
        type: "application",
        name: "waypost",
        version,
        licenses: licensesOf("Apache-2.0"),
        properties: [{ name: "waypost:commit", value: commit }],
      },
    },
    components: [...unique.map(component), ...packages.map(component), ...files.map(fileComponent)],
  };
  return `${JSON.stringify(bill, null, 1)}\n`;
};
