/** The database of the settings: that of `DATABASE_URL`, or the embedded one, started if necessary. */
import { Data, Effect, Layer, References, Result } from "effect";
import { stat } from "node:fs/promises";
import { join } from "node:path";
import type { SettingsService } from "../config/Settings.ts";
import { DataDirectoryInUse, holdDirectory } from "../database/DataDirectory.ts";
import { unpackRuntime } from "../database/embedded/BundledRuntime.ts";
import { EmbeddedPostgres } from "../database/embedded/EmbeddedPostgres.ts";
import { database, runningSocket, username } from "../database/embedded/PostgresFiles.ts";
import { postgresLayer, type PostgresTarget } from "../database/Postgres.ts";

/** The database cannot be used. `message` says why. `isMissing` if none was created yet. */
class NoDatabase extends Data.TaggedError("NoDatabase")<{
  readonly message: string;
  readonly isMissing: boolean;
}> {}

const clientOptions = { retryMillis: 2_000, maxConnections: 4, applicationName: "waypost-doctor" };

/** Facts about a path; null if there is none. Asynchronous, because a file system may hang. */
export const statOrNull = (path: string) => Effect.promise(() => stat(path).catch(() => null));

/** Whether a process holds the data directory. Changes nothing. */
export const isDirectoryHeld = Effect.fnUntraced(function* ({ dataDir }: SettingsService) {
  if ((yield* statOrNull(join(dataDir, "waypost.lock"))) === null) return false;
  const held = yield* Effect.result(Effect.scoped(holdDirectory(dataDir)));
  return Result.isFailure(held) && held.failure instanceof DataDirectoryInUse;
});

/** The address of the database, which runs for as long as the scope. */
const openTarget = Effect.fnUntraced(function* ({ databaseUrl, dataDir }: SettingsService) {
  if (databaseUrl !== undefined) return { _tag: "url", url: databaseUrl } satisfies PostgresTarget;
  if ((yield* statOrNull(join(dataDir, "postgres/PG_VERSION"))) === null) {
    return yield* new NoDatabase({
      message: `There is no embedded database in ${dataDir} yet.`,
      isMissing: true,
    });
  }
  const startServer = Effect.gen(function* () {
    yield* holdDirectory(dataDir);
    yield* unpackRuntime(dataDir);
    return (yield* EmbeddedPostgres.make({ directory: dataDir })).socketPath;
  });
  const path = yield* Effect.catchIf(
    startServer,
    (error) => error instanceof DataDirectoryInUse,
    () => runningSocket(dataDir),
  );
  return { _tag: "socket", path, username, database } satisfies PostgresTarget;
});

/**
 * Runs the effect with a client of the database. Nothing is created and no migration is applied. An embedded
 * database that does not run is started for the duration of the effect, and the data directory is held
 * meanwhile.
 */
export const withDatabase = <A, E, R>(effect: Effect.Effect<A, E, R>, settings: SettingsService) =>
  Effect.scoped(
    Effect.gen(function* () {
      const client = yield* openTarget(settings).pipe(
        Effect.flatMap((target) => Layer.build(postgresLayer(target, clientOptions))),
        Effect.provideService(References.MinimumLogLevel, "None"),
        Effect.mapError((error) =>
          error instanceof NoDatabase ? error : new NoDatabase({ message: error.message, isMissing: false }),
        ),
      );
      return yield* Effect.provide(effect, client);
    }),
  );
