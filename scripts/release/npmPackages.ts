/** The npm packages: the typed clients with the web SDK, and the web SDK alone. */
import { execFileSync } from "node:child_process";
import { globSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import type { Release } from "./Release.ts";
import { gzipped, plainFile, type RootFile, tarOf } from "./tarball.ts";

/** The files of a folder, below another. */
export const filesBelow = (folder: string, below: string, pattern = "**/*"): ReadonlyArray<RootFile> =>
  globSync(pattern, { cwd: folder })
    .filter((path) => statSync(join(folder, path)).isFile())
    .map((path) => plainFile(join(below, path), readFileSync(join(folder, path))))
    .toSorted((one, other) => (one.path < other.path ? -1 : 1));

const bySubpath = (exports: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    Object.entries(exports).flatMap(([name, value]) =>
      name.startsWith("./web") ? [[name.replace("./web", "."), value]] : [],
    ),
  );

/** Builds the packages in an empty folder. Returns them by the names of their files. */
export const npmPackages = async (
  { root, time, version }: Release,
  folder: string,
): Promise<ReadonlyArray<readonly [name: string, bytes: Uint8Array]>> => {
  execFileSync(process.execPath, [join(root, "scripts/client.ts"), "--out", folder], { stdio: "inherit" });
  const all = filesBelow(folder, "package");
  const manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as {
    readonly exports: Readonly<Record<string, unknown>>;
  };
  const own = { ...manifest, name: "waypost-web", exports: bySubpath(manifest.exports), files: ["web"] };
  const web = [
    ...all.filter(({ path }) => path.startsWith("package/web/") || path === "package/LICENSE"),
    plainFile("package/README.md", readFileSync(join(root, "docs/web.md"))),
    plainFile("package/package.json", `${JSON.stringify(own, null, 2)}\n`),
  ].toSorted((one, other) => (one.path < other.path ? -1 : 1));
  return [
    [`waypost-client-${version}.tgz`, gzipped(await tarOf(all, time))],
    [`waypost-web-${version}.tgz`, gzipped(await tarOf(web, time))],
  ];
};
