/** `waypost backup` and `waypost restore`: one file with the database, and what the data directory holds. */
import { Effect, Layer, type Redacted, References } from "effect";
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { Settings, type SettingsRecord, type SettingsService } from "../config/Settings.ts";
import { connectedProcesses } from "../database/ConnectedProcesses.ts";
import { DataDirectory, DataDirectoryInUse } from "../database/DataDirectory.ts";
import { EmbeddedPostgres } from "../database/embedded/EmbeddedPostgres.ts";
import { database, runningSocket, username } from "../database/embedded/PostgresFiles.ts";
import { programMigrations } from "../database/migrations/ProgramMigrations.ts";
import { postgresLayer, type PostgresTarget } from "../database/Postgres.ts";
import { refused } from "./BackupRefused.ts";
import { backupSql } from "./BackupSql.ts";
import { createBackup } from "./CreateBackup.ts";
import type { ProgressListener } from "./ProgressListener.ts";
import { restoreBackup, restoreIntoDatabase } from "./RestoreBackup.ts";

/** The server logs errors only: the command prints its own output. */
const errorsOnly = Effect.provideService(References.MinimumLogLevel, "Error");

const clientOf = (target: PostgresTarget) =>
  postgresLayer(target, { retryMillis: 2_000, maxConnections: 4, applicationName: "waypost-backup" });

const clientAt = (path: string) => clientOf({ _tag: "socket", path, username, database });

type Client = Layer.Success<ReturnType<typeof clientAt>>;

/** Starts the embedded server for this effect only. @throws DataDirectoryInUse */
const withOwnServer = <A, E>(effect: Effect.Effect<A, E, Client>, settings: SettingsService) =>
  Effect.scoped(
    Effect.gen(function* () {
      yield* Effect.provideService(Layer.build(DataDirectory.layer), Settings, settings);
      const { socketPath } = yield* EmbeddedPostgres.make({ directory: settings.dataDir });
      return yield* Effect.provide(effect, clientAt(socketPath));
    }),
  );

/** Connects to the embedded server of the Waypost that runs on the data directory. */
const withRunningServer = <A, E>(effect: Effect.Effect<A, E, Client>, { dataDir }: SettingsService) =>
  Effect.flatMap(runningSocket(dataDir), (path) => Effect.provide(effect, clientAt(path)));

/** Connects to the server of `DATABASE_URL`. */
const withServer = <A, E, R>(effect: Effect.Effect<A, E, R>, url: Redacted.Redacted) =>
  Effect.provide(effect, clientOf({ _tag: "url", url }));

/** Refuses a database that has no schema, or that has no snapshot of one moment while Waypost runs. */
const checkSource = Effect.gen(function* () {
  const { hasSchema, snapshotObstacle } = yield* backupSql;
  if (!(yield* hasSchema)) return yield* refused("DATABASE_URL is a database without Waypost's tables.");
  const obstacle = yield* snapshotObstacle;
  if (obstacle !== null && (yield* connectedProcesses).length > 0)
    return yield* refused(
      `Waypost processes are connected to the database, and ${obstacle}. Stop them all before.`,
    );
});

/** Backs up the database of the settings, whether a Waypost runs on it or not. Returns the manifest. */
export const backup = Effect.fn("backup")(function* (
  record: SettingsRecord,
  file: string,
  progress: ProgressListener,
) {
  const settings = yield* Settings.fromRecord(record);
  const { dataDir, databaseUrl, mediaStore, secretKey } = settings;
  const bucket = mediaStore._tag === "s3" ? `s3://${mediaStore.bucket}/${mediaStore.prefix}` : null;
  const copy = createBackup({ dataDir, path: resolve(file), bucket, progress });
  if (databaseUrl !== undefined) {
    if (secretKey === undefined && !existsSync(join(dataDir, "secret.key"))) {
      return yield* refused(
        `There is no secret.key in ${dataDir}, and without it the database is of no use. ` +
          "Set WAYPOST_DATA_DIR to the data directory of a Waypost on this database, or WAYPOST_SECRET_KEY.",
      );
    }
    return yield* errorsOnly(withServer(Effect.andThen(checkSource, copy), databaseUrl));
  }
  if (!existsSync(join(dataDir, "postgres"))) {
    return yield* refused(
      `There is no embedded database in ${dataDir}. ` +
        "Set WAYPOST_DATA_DIR to its data directory, or pass --config.",
    );
  }
  return yield* withOwnServer(copy, settings).pipe(
    Effect.catchIf(
      (error) => error instanceof DataDirectoryInUse,
      () => withRunningServer(copy, settings),
    ),
    errorsOnly,
  );
});

/**
 * Restores a backup into the data directory of the settings, which must be missing or empty, and with
 * `DATABASE_URL` into that database, which must have no tables.
 */
export const restore = Effect.fn("restore")(function* (
  record: SettingsRecord,
  file: string,
  progress: ProgressListener,
) {
  const { dataDir, databaseUrl } = yield* Settings.fromRecord(record);
  const path = resolve(file);
  const run =
    databaseUrl === undefined
      ? restoreBackup(path, dataDir, progress)
      : withServer(restoreIntoDatabase(path, dataDir, progress), databaseUrl);
  const manifest = yield* run.pipe(Effect.provide(programMigrations), errorsOnly);
  return { manifest, dataDir, isOwnDatabase: databaseUrl === undefined };
});
