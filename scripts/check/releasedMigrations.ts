/** Digests of the migrations of releases: schema/released.sha256, as `sha256sum` prints them. */
import { checksumOf, type MigrationFile } from "../../src/database/migrations/Migrations.ts";

/** The file with the digests of all migrations of a release. */
export const digestsOf = (files: ReadonlyArray<MigrationFile>): string =>
  files.map(({ name, text }) => `${checksumOf(text)}  ${name}\n`).join("");

/** Released migrations that were changed or removed, and new ones that do not come after them. */
export const migrationFindings = (
  digests: string,
  files: ReadonlyArray<MigrationFile>,
): ReadonlyArray<string> => {
  const released = new Map(
    digests
      .trim()
      .split("\n")
      .map((line) => [line.slice(66), line.slice(0, 64)]),
  );
  const last = [...released.keys()].toSorted().at(-1) ?? "";
  const digestOf = new Map(files.map(({ name, text }) => [name, checksumOf(text)]));
  return [
    ...[...released]
      .filter(([name, digest]) => digestOf.get(name) !== digest)
      .map(([name]) => `schema/${name} is released and never changes: put it back, and add a migration.`),
    ...[...digestOf.keys()]
      .filter((name) => !released.has(name) && name < last)
      .map((name) => `schema/${name} must come after ${last}, the last released migration.`),
  ];
};
