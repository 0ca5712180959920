/** Reads a backup into a database and a folder. */
import { Effect } from "effect";
import { createWriteStream } from "node:fs";
import { mkdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { text } from "node:stream/consumers";
import { pipeline } from "node:stream/promises";
import { checksumOf, migrate, MigrationFiles } from "../database/migrations/Migrations.ts";
import { type BackupManifest, keyFiles } from "./BackupManifest.ts";
import { type BackupRefused, refused } from "./BackupRefused.ts";
import { backupSql } from "./BackupSql.ts";
import { diskProblem } from "./DiskProblem.ts";
import type { ProgressListener } from "./ProgressListener.ts";
import { readTar, TarBroken } from "./TarFile.ts";

/** Does work on the files of a restore; `path` is the archive. */
export const onDisk = <A>(path: string, work: () => Promise<A>): Effect.Effect<A, BackupRefused> =>
  Effect.tryPromise({
    try: work,
    catch: (error) =>
      refused(
        error instanceof TarBroken
          ? `${path} is not a complete backup: ${error.message}. Nothing was restored.`
          : `${path} cannot be restored: ${diskProblem(error, path)}.`,
      ),
  });

/** The migrations of the backup. They must be the first ones of this program. */
export const migrationsOf = Effect.fnUntraced(function* (manifest: BackupManifest) {
  const files = (yield* (yield* MigrationFiles).load).toSorted((a, b) => (a.name < b.name ? -1 : 1));
  for (const [index, { checksum, name }] of manifest.migrations.entries()) {
    const file = files[index];
    if (file?.name !== name) {
      return yield* refused(
        `A newer Waypost, ${manifest.waypost}, made this backup: it has the migration ${name}. ` +
          "Restore it with that version or a later one.",
      );
    }
    if (checksumOf(file.text) !== checksum) {
      return yield* refused(
        `A development version of Waypost, ${manifest.waypost}, made this backup: ` +
          `its migration ${name} differs from the released one. Restore it with exactly that version.`,
      );
    }
  }
  return files.slice(0, manifest.migrations.length);
});

/**
 * Builds the schema of the backup in an empty database, writes its rows, and migrates them to this version,
 * in one transaction. Its keys and media files go into the folder.
 */
export const unpack = Effect.fnUntraced(function* (
  path: string,
  folder: string,
  manifest: BackupManifest,
  progress: ProgressListener,
) {
  const sql = yield* backupSql;
  const backupMigrations = yield* migrationsOf(manifest);
  const totalRows = manifest.tables.reduce((sum, { rows }) => sum + rows, 0);
  let restoredRows = 0;
  const tables = new Map(manifest.tables.map((table) => [table.name, table]));
  const media = new Set(manifest.media.files.map((file) => `media/${file}`));
  const keys = new Set<string>(keyFiles);
  const isWanted = (name: string): boolean =>
    keys.has(name) || (media.has(name) && /^media\/[\w-]{2}\/[\w.-]+$/.test(name));
  const entries = readTar(path);
  const restoreEntries = Effect.gen(function* () {
    while (true) {
      const next = yield* onDisk(path, () => entries.next());
      if (next.done === true) return;
      const { name, pieces } = next.value;
      const table = tables.get(/^rows\/([^/]+)\/\d+$/.exec(name)?.[1] ?? "");
      if (table !== undefined) {
        const content = yield* onDisk(path, () => text(pieces));
        const lines = content.split("\n").slice(0, -1);
        yield* sql.insert(
          table,
          lines.map((line) => JSON.parse(line) as string),
        );
        restoredRows += lines.length;
        progress("rows", restoredRows, totalRows);
      } else if (isWanted(name)) {
        const file = join(folder, name);
        yield* onDisk(path, async () => {
          await mkdir(dirname(file), { recursive: true, mode: 0o700 });
          await pipeline(pieces, createWriteStream(file, { flags: "wx", mode: 0o600, flush: true }));
        });
      }
    }
  });
  const restoreRows = Effect.gen(function* () {
    yield* Effect.provideService(migrate, MigrationFiles, { load: Effect.succeed(backupMigrations) });
    yield* sql.disableTimeouts;
    yield* sql.disableTriggers;
    yield* sql.truncate([...tables.keys()]);
    yield* restoreEntries;
    for (const sequence of manifest.sequences) yield* sql.setSequence(sequence);
    yield* sql.enableTriggers;
    yield* migrate;
    yield* sql.disableTimeouts;
    yield* sql.analyze;
  });
  yield* Effect.ensuring(
    sql.transaction(restoreRows),
    Effect.promise(() => entries.return(undefined)),
  );
});
