import { Effect } from "effect";
import { mkdir, readdir, rename, rm, statfs } from "node:fs/promises";
import { dirname, join } from "node:path";
import { unpackRuntime } from "../database/embedded/BundledRuntime.ts";
import { EmbeddedPostgres } from "../database/embedded/EmbeddedPostgres.ts";
import type { MigrationFiles, MigrationRefused } from "../database/migrations/Migrations.ts";
import { postgresLayer } from "../database/Postgres.ts";
import { BackupRefused, refused } from "./BackupRefused.ts";
import { type BackupClient, backupSql } from "./BackupSql.ts";
import { diskProblem, errorCode } from "./DiskProblem.ts";
import type { ProgressListener } from "./ProgressListener.ts";
import { migrationsOf, onDisk, unpack } from "./UnpackBackup.ts";
import { verifyBackup } from "./VerifyBackup.ts";

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

/** Parts of a restore, for the database that it fills. */
interface Restoring {
  /** The directory that is built. */
  readonly folder: string;
  /** Fills the database and the directory in one transaction. */
  readonly fill: Effect.Effect<void, BackupRefused | MigrationRefused, BackupClient | MigrationFiles>;
  /** Gives the directory its final name. */
  readonly finish: Effect.Effect<void, BackupRefused>;
}

/** Builds the data directory beside its final path, so that an interrupted restore leaves none. */
const restoreWith = Effect.fnUntraced(function* <E, R>(
  path: string,
  dataDir: string,
  progress: ProgressListener,
  load: (parts: Restoring) => Effect.Effect<void, E, R>,
) {
  yield* checkEmpty(dataDir);
  const manifest = yield* onDisk(path, () => verifyBackup(path, progress));
  yield* migrationsOf(manifest);
  const folder = `${dataDir}.restoring`;
  let isFinished = false;
  const createFolder = onDisk(path, async () => {
    await rm(folder, { recursive: true, force: true });
    await mkdir(dirname(folder), { recursive: true });
    await mkdir(folder, { mode: 0o700 });
  });
  const finish = onDisk(path, async () => {
    await rm(join(folder, "run"), { recursive: true, force: true });
    await rename(folder, dataDir);
    isFinished = true;
  });
  yield* createFolder.pipe(
    Effect.andThen(load({ folder, fill: unpack(path, folder, manifest, progress), finish })),
    Effect.onError(() =>
      Effect.promise(() =>
        rm(isFinished ? dataDir : folder, { recursive: true, force: true }).catch(() => undefined),
      ),
    ),
  );
  return manifest;
});

const asRefusal = (error: { readonly message: string }) =>
  error instanceof BackupRefused ? error : refused(error.message);

/**
 * Restores a backup with an embedded database into a data directory that is missing or empty: everything or
 * nothing. Returns the manifest.
 */
export const restoreBackup = (path: string, dataDir: string, progress: ProgressListener = () => undefined) =>
  restoreWith(path, dataDir, progress, ({ fill, finish, folder }) => {
    const load = Effect.scoped(
      Effect.gen(function* () {
        yield* unpackRuntime(folder);
        const { database, socketPath, username } = yield* EmbeddedPostgres.make({ directory: folder });
        const client = postgresLayer({ _tag: "socket", path: socketPath, username, database });
        yield* Effect.provide(fill, client);
      }),
    );
    return Effect.andThen(reportFullDisk(folder, Effect.mapError(load, asRefusal)), finish);
  });

/**
 * Restores the database of a backup into the one of the client, which must have no tables, and its keys and
 * media into a data directory that is missing or empty: everything or nothing. Returns the manifest.
 */
export const restoreIntoDatabase = Effect.fnUntraced(function* (
  path: string,
  dataDir: string,
  progress: ProgressListener,
) {
  const sql = yield* backupSql;
  const [obstacle] = yield* sql.obstacles;
  if (obstacle !== undefined && obstacle.table !== null)
    return yield* refused(
      `The database of DATABASE_URL has tables already, such as ${obstacle.table}, and a restore deletes ` +
        "nothing. Create a new database and set DATABASE_URL to it.",
    );
  if (obstacle?.isForbidden === true)
    return yield* refused(
      "This account may not turn off triggers, which a restore needs. As a superuser of the server: " +
        `GRANT SET ON PARAMETER session_replication_role TO "${obstacle.account}".`,
    );
  return yield* restoreWith(path, dataDir, progress, ({ fill, finish }) =>
    // The directory gets its name last before the commit, so that neither is there without the other.
    sql.transaction(Effect.andThen(Effect.mapError(fill, asRefusal), finish)),
  );
});
