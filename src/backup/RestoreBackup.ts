import { Effect } from "effect";
import { createWriteStream } from "node:fs";
import { mkdir, readdir, rename, rm, statfs } from "node:fs/promises";
import { dirname, join } from "node:path";
import { text } from "node:stream/consumers";
import { pipeline } from "node:stream/promises";
import { unpackRuntime } from "../database/embedded/BundledRuntime.ts";
import { EmbeddedPostgres } from "../database/embedded/EmbeddedPostgres.ts";
import { checksumOf, migrate, MigrationFiles } from "../database/migrations/Migrations.ts";
import { postgresLayer } from "../database/Postgres.ts";
import { type BackupManifest, keyFiles } from "./BackupManifest.ts";
import { BackupRefused } from "./BackupRefused.ts";
import { backupSql } from "./BackupSql.ts";
import { diskProblem, errorCode } from "./DiskProblem.ts";
import type { ProgressListener } from "./ProgressListener.ts";
import { readTar, TarBroken } from "./TarFile.ts";
import { verifyBackup } from "./VerifyBackup.ts";

const refused = (message: string) => new BackupRefused({ message });

const onDisk = <A>(path: string, work: () => Promise<A>): Effect.Effect<A, BackupRefused> =>
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
const migrationsOf = Effect.fnUntraced(function* (manifest: BackupManifest) {
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

/** Writes the rows of the backup into the database, and its keys and media files into the folder. */
const unpack = Effect.fnUntraced(function* (
  path: string,
  folder: string,
  manifest: BackupManifest,
  progress: ProgressListener,
) {
  const sql = yield* backupSql;
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
    yield* sql.disableTimeouts;
    yield* sql.disableTriggers;
    yield* sql.truncate([...tables.keys()]);
    yield* restoreEntries;
    for (const sequence of manifest.sequences) yield* sql.setSequence(sequence);
  });
  yield* Effect.ensuring(
    sql.transaction(restoreRows),
    Effect.promise(() => entries.return(undefined)),
  );
  yield* sql.analyze;
});

/** With less free space, in bytes, PostgreSQL stops: it allocates its write-ahead log in files of 16 MiB. */
const minFreeBytes = 32 * 1_048_576;

/** Replaces a defect by a clear error if the disk is full. A full disk may simply kill PostgreSQL. */
const reportFullDisk = <A, E, R>(folder: string, effect: Effect.Effect<A, E, R>) =>
  Effect.catchDefect(effect, (defect) =>
    Effect.flatMap(
      Effect.promise(() => statfs(folder).catch(() => null)),
      (disk) =>
        disk !== null && disk.bavail * disk.bsize < minFreeBytes
          ? Effect.fail(refused(`There is no space left on the disk of ${folder}. Nothing was restored.`))
          : Effect.die(defect),
    ),
  );

/** Refuses a data directory that is not missing or empty. */
const checkEmpty = Effect.fnUntraced(function* (dataDir: string) {
  const names = yield* Effect.tryPromise({
    try: () =>
      readdir(dataDir).catch((error: unknown) => {
        if (errorCode(error) === "ENOENT") return [];
        throw error;
      }),
    catch: (error) =>
      refused(
        `${dataDir} cannot be the data directory: ${diskProblem(error, dataDir)}. ` +
          "Set WAYPOST_DATA_DIR to a new one.",
      ),
  });
  if (names.length === 0) return;
  return yield* refused(
    `The data directory ${dataDir} is not empty, and a restore deletes nothing. ` +
      "Stop the Waypost that runs on it and move it away, or set WAYPOST_DATA_DIR to a new directory.",
  );
});

/**
 * Restores a backup into a data directory that is missing or empty: everything or nothing. The directory is
 * built beside its final path and renamed at the end, so an interrupted restore leaves none. An older schema
 * is then migrated. Returns the manifest.
 */
export const restoreBackup = Effect.fnUntraced(function* (
  path: string,
  dataDir: string,
  progress: ProgressListener = () => undefined,
) {
  yield* checkEmpty(dataDir);
  const manifest = yield* onDisk(path, () => verifyBackup(path, progress));
  const allMigrations = yield* MigrationFiles;
  const backupMigrations = yield* migrationsOf(manifest);
  const folder = `${dataDir}.restoring`;
  const createFolder = onDisk(path, async () => {
    await rm(folder, { recursive: true, force: true });
    await mkdir(dirname(folder), { recursive: true });
    await mkdir(folder, { mode: 0o700 });
  });
  const load = Effect.scoped(
    Effect.gen(function* () {
      yield* unpackRuntime(folder);
      const { database, socketPath, username } = yield* EmbeddedPostgres.make({ directory: folder });
      const client = postgresLayer({ _tag: "socket", path: socketPath, username, database });
      yield* Effect.gen(function* () {
        yield* Effect.provideService(migrate, MigrationFiles, { load: Effect.succeed(backupMigrations) });
        yield* unpack(path, folder, manifest, progress);
        yield* Effect.provideService(migrate, MigrationFiles, allMigrations);
      }).pipe(Effect.provide(client));
    }),
  ).pipe(Effect.mapError((error) => (error instanceof BackupRefused ? error : refused(error.message))));
  const finish = onDisk(path, async () => {
    await rm(join(folder, "run"), { recursive: true, force: true });
    await rename(folder, dataDir);
  });
  yield* createFolder.pipe(
    Effect.andThen(reportFullDisk(folder, load)),
    Effect.andThen(finish),
    Effect.onError(() =>
      Effect.promise(() => rm(folder, { recursive: true, force: true }).catch(() => undefined)),
    ),
  );
  return manifest;
});
