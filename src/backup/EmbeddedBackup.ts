/** `waypost backup` and `waypost restore`: one file with everything that a data directory holds. */
import { Effect, Layer, References } from "effect";
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { Settings, type SettingsRecord, type SettingsService } from "../config/Settings.ts";
import { DataDirectory, DataDirectoryInUse } from "../database/DataDirectory.ts";
import { EmbeddedPostgres } from "../database/embedded/EmbeddedPostgres.ts";
import { database, runningSocket, username } from "../database/embedded/PostgresFiles.ts";
import { programMigrations } from "../database/migrations/ProgramMigrations.ts";
import { postgresLayer } from "../database/Postgres.ts";
import { BackupRefused } from "./BackupRefused.ts";
import { createBackup } from "./CreateBackup.ts";
import type { ProgressListener } from "./ProgressListener.ts";
import { restoreBackup } from "./RestoreBackup.ts";

const readEmbeddedSettings = (record: SettingsRecord) =>
  Effect.flatMap(Settings.fromRecord(record), (settings) =>
    settings.databaseUrl === undefined
      ? Effect.succeed(settings)
      : Effect.fail(
          new BackupRefused({
            message:
              "DATABASE_URL is set, and this command is for the embedded database only. " +
              "Back up and restore your own PostgreSQL with pg_dump and pg_restore, " +
              "and keep copies of the media and of both keys.",
          }),
        ),
  );

/** The server logs errors only: the command prints its own output. */
const errorsOnly = Effect.provideService(References.MinimumLogLevel, "Error");

const clientAt = (path: string) =>
  postgresLayer({ _tag: "socket", path, username, database }, { retryMillis: 2_000 });

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

/** Backs up the data directory of the settings, whether a Waypost runs on it or not. Returns the manifest. */
export const backup = Effect.fn("backup")(function* (
  record: SettingsRecord,
  file: string,
  progress: ProgressListener,
) {
  const settings = yield* readEmbeddedSettings(record);
  const { dataDir, mediaStore } = settings;
  if (!existsSync(join(dataDir, "postgres"))) {
    return yield* new BackupRefused({
      message:
        `There is no embedded database in ${dataDir}. ` +
        "Set WAYPOST_DATA_DIR to its data directory, or pass --config.",
    });
  }
  const bucket = mediaStore._tag === "s3" ? `s3://${mediaStore.bucket}/${mediaStore.prefix}` : null;
  const copy = createBackup({ dataDir, path: resolve(file), bucket, progress });
  return yield* withOwnServer(copy, settings).pipe(
    Effect.catchIf(
      (error) => error instanceof DataDirectoryInUse,
      () => withRunningServer(copy, settings),
    ),
    errorsOnly,
  );
});

/** Restores a backup into the data directory of the settings, which must be missing or empty. */
export const restore = Effect.fn("restore")(function* (
  record: SettingsRecord,
  file: string,
  progress: ProgressListener,
) {
  const { dataDir } = yield* readEmbeddedSettings(record);
  const manifest = yield* restoreBackup(resolve(file), dataDir, progress).pipe(
    Effect.provide(programMigrations),
    errorsOnly,
  );
  return { manifest, dataDir };
});
