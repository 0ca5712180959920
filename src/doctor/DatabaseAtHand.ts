/** The database of the settings for a command: of `DATABASE_URL`, of the Waypost that runs here, or started for the command alone. */
import { Data, Effect, Layer, References } from "effect";
import { stat } from "node:fs/promises";
import { join } from "node:path";
import type { Settings } from "../config/Settings.ts";
import { unpackRuntime } from "../database/embedded/BundledRuntime.ts";
import { DataDirectoryInUse, holdDirectory } from "../database/DataDirectory.ts";
import { EmbeddedPostgres } from "../database/embedded/EmbeddedPostgres.ts";
import { postgresLayer, type PostgresTarget } from "../database/Postgres.ts";
import { database, runningSocket, username } from "../database/embedded/PostgresFiles.ts";

/** There is no database to look at; `message` says why. `isMissing` where none was made yet. */
class NoDatabase extends Data.TaggedError("NoDatabase")<{
  readonly message: string;
  readonly isMissing: boolean;
}> {}

const guest = { retryMillis: 2_000, maxConnections: 4, applicationName: "waypost-doctor" };

const isThere = (path: string) =>
  Effect.promise(() =>
    stat(path).then(
      () => true,
      () => false,
    ),
  );

/** Whether a process holds the data directory now; false where there is none. Changes nothing. */
export const isDirectoryHeld = Effect.fnUntraced(function* ({ dataDir }: Settings["Service"]) {
  if (!(yield* isThere(join(dataDir, "waypost.lock")))) return false;
  const held = yield* Effect.result(Effect.scoped(holdDirectory(dataDir)));
  return held._tag === "Failure" && held.failure instanceof DataDirectoryInUse;
});

/** Where the database of the settings listens, once it does. */
const target = Effect.fnUntraced(function* ({ databaseUrl, dataDir }: Settings["Service"]) {
  if (databaseUrl !== undefined) return { _tag: "url", url: databaseUrl } satisfies PostgresTarget;
  if (!(yield* isThere(join(dataDir, "postgres/PG_VERSION")))) {
    return yield* new NoDatabase({
      message: `There is no embedded database in ${dataDir} yet.`,
      isMissing: true,
    });
  }
  const own = Effect.gen(function* () {
    yield* holdDirectory(dataDir);
    yield* unpackRuntime(dataDir);
    return (yield* EmbeddedPostgres.make({ directory: dataDir })).socketPath;
  });
  const path = yield* Effect.catchIf(
    own,
    (error) => error instanceof DataDirectoryInUse,
    () => runningSocket(dataDir),
  );
  return { _tag: "socket", path, username, database } satisfies PostgresTarget;
});

const asNone = (error: { readonly message: string }): NoDatabase =>
  error instanceof NoDatabase ? error : new NoDatabase({ message: error.message, isMissing: false });

/**
 * Runs the effect over the database, as a guest: nothing is made, and no migration applied. An embedded one that nobody runs is
 * started for as long as the effect takes, and holds the data directory meanwhile.
 */
export const overDatabase = <A, E, R>(effect: Effect.Effect<A, E, R>, config: Settings["Service"]) =>
  Effect.scoped(
    Effect.gen(function* () {
      const client = yield* target(config).pipe(
        Effect.flatMap((where) => Layer.build(postgresLayer(where, guest))),
        Effect.provideService(References.MinimumLogLevel, "None"),
        Effect.mapError(asNone),
      );
      return yield* Effect.provide(effect, client);
    }),
  );
