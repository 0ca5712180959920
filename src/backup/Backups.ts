/** `waypost backup` and `waypost restore`: one file of everything that the data directory holds. */
import { Effect, Layer, References } from "effect";
import { stat } from "node:fs/promises";
import { isSea } from "node:sea";
import { join, resolve } from "node:path";
import { Settings, type SettingsRecord } from "../config/Settings.ts";
import { bundledFolder } from "../database/embedded/BundledRuntime.ts";
import { DataDirectory, DataDirectoryInUse } from "../database/DataDirectory.ts";
import { EmbeddedPostgres } from "../database/embedded/EmbeddedPostgres.ts";
import { MigrationFiles } from "../database/migrations/Migrations.ts";
import { postgresLayer } from "../database/Postgres.ts";
import { database, runningSocket, username } from "../database/embedded/PostgresFiles.ts";
import { makeBackup } from "./MakeBackup.ts";
import { restoreBackup } from "./RestoreBackup.ts";
import { BackupRefused } from "./BackupRefused.ts";
import type { ProgressListener } from "./ProgressListener.ts";

const migrations = isSea()
  ? MigrationFiles.layerFiles(bundledFolder("schema"))
  : MigrationFiles.layerFolder(new URL("../../schema", import.meta.url));

const embeddedOnly = (config: Settings["Service"]): Effect.Effect<void, BackupRefused> =>
  config.databaseUrl === undefined
    ? Effect.void
    : Effect.fail(
        new BackupRefused({
          message:
            "DATABASE_URL names a database of your own: back it up and restore it by its own means (pg_dump, pg_restore), and keep " +
            "the media and the two keys. This command is for the embedded database.",
        }),
      );

/** What runs here says nothing beside the command. */
const quiet = Effect.provideService(References.MinimumLogLevel, "Error");

/** The client of a server that listens at this socket. */
const at = (path: string) =>
  postgresLayer({ _tag: "socket", path, username, database }, { retryMillis: 2_000 });

type Client = Layer.Success<ReturnType<typeof at>>;

/** Over a server that runs for this effect alone, where no Waypost does. @throws DataDirectoryInUse */
const overOwnServer = <A, E>(effect: Effect.Effect<A, E, Client>, config: Settings["Service"]) =>
  Effect.scoped(
    Effect.gen(function* () {
      yield* Effect.provideService(Layer.build(DataDirectory.layer), Settings, config);
      const { socketPath } = yield* EmbeddedPostgres.make({ directory: config.dataDir });
      return yield* Effect.provide(effect, at(socketPath));
    }),
  );

/** Over the server of the Waypost that runs. */
const overRunningServer = <A, E>(effect: Effect.Effect<A, E, Client>, config: Settings["Service"]) =>
  Effect.flatMap(runningSocket(config.dataDir), (path) => Effect.provide(effect, at(path)));

/** Writes a backup of the settings' data directory, whether a Waypost runs there or not. Gives its manifest. */
export const backup = Effect.fn("backup")(function* (
  record: SettingsRecord,
  file: string,
  progress: ProgressListener,
) {
  const config = yield* Settings.fromRecord(record);
  yield* embeddedOnly(config);
  const { dataDir, mediaStore } = config;
  const isThere = yield* Effect.promise(() =>
    stat(join(dataDir, "postgres")).then(
      () => true,
      () => false,
    ),
  );
  if (!isThere) {
    return yield* new BackupRefused({
      message: `There is no embedded database in ${dataDir}: name its data directory by WAYPOST_DATA_DIR or --config.`,
    });
  }
  const bucket = mediaStore._tag === "s3" ? `s3://${mediaStore.bucket}/${mediaStore.prefix}` : null;
  const copy = makeBackup({ dataDir, path: resolve(file), bucket, progress });
  return yield* overOwnServer(copy, config).pipe(
    Effect.catchIf(
      (error) => error instanceof DataDirectoryInUse,
      () => overRunningServer(copy, config),
    ),
    quiet,
  );
});

/** Restores a backup into the settings' data directory, which must be missing or empty. Gives the backup's manifest and where it is now. */
export const restore = Effect.fn("restore")(function* (
  record: SettingsRecord,
  file: string,
  progress: ProgressListener,
) {
  const config = yield* Settings.fromRecord(record);
  yield* embeddedOnly(config);
  const manifest = yield* restoreBackup(resolve(file), config.dataDir, progress).pipe(
    Effect.provide(migrations),
    quiet,
  );
  return { manifest, dataDir: config.dataDir };
});
