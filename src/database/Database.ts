/** The one database of a process: embedded, or the one that `DATABASE_URL` names. */
import type { PgClient } from "@effect/sql-pg";
import { Cause, Clock, Context, Effect, Layer, Option } from "effect";
import { SqlClient, SqlError } from "effect/sql";
import { hostname } from "node:os";
import { Settings } from "../config/Settings.ts";
import type { DataDirectory } from "./DataDirectory.ts";
import { isConflict, isDatabaseUnreachable } from "./DatabaseFailure.ts";
import { countRetry, noteWait } from "./DatabaseMetrics.ts";
import { EmbeddedPostgres } from "./embedded/EmbeddedPostgres.ts";
import { type MigrationFiles, type MigrationRefused, migrate } from "./migrations/Migrations.ts";
import { postgresLayer, type PostgresUnusable } from "./Postgres.ts";
import type { EmbeddedPostgresUnusable } from "./embedded/PostgresAccount.ts";
import type { LeftoversRemain } from "./embedded/PostgresProcesses.ts";
import { watchSchema } from "./migrations/SchemaWatch.ts";
import { sessionName } from "./SessionName.ts";

/** Why a process has no database to start with. */
export type DatabaseUnusable =
  EmbeddedPostgresUnusable | LeftoversRemain | PostgresUnusable | MigrationRefused;

/** Transactions and health. Failures of SQL are defects; the error channel keeps domain errors only. */
export class Database extends Context.Service<
  Database,
  {
    /**
     * Runs the effect in the transaction at hand, or else in one of its own, which ends with the effect: committed when it
     * succeeds, rolled back when it fails, dies or is interrupted. Its own transaction is run again, from the start and up
     * to three times, when it lost against another one: so the effect does nothing but SQL that cannot be undone.
     */
    readonly atomically: <A, E, R>(
      effect: Effect.Effect<A, E, R>,
    ) => Effect.Effect<A, Exclude<E, SqlError.SqlError>, R>;
    /** True when the database answers within two seconds, and can be written: a standby cannot until it is promoted. */
    readonly ready: Effect.Effect<boolean>;
  }
>()("waypost/database/Database") {
  /** True when the cause holds a failure to reach the database, which is to be answered 503 and tried again later. */
  static readonly isUnavailable = (cause: Cause.Cause<unknown>): boolean =>
    sqlErrors(cause).some(isDatabaseUnreachable);

  /** Over a client that is there already and whose schema is up to date. */
  static readonly layerClient: Layer.Layer<Database, never, SqlClient.SqlClient> = Layer.effect(
    Database,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient;
      // The clock of the moment the layer is built: pauses between tries are real even where a test moves the time.
      const clock = yield* Clock.Clock;
      return Database.of({
        atomically: (effect) => atomically(sql, clock, effect),
        ready: sql<{
          readonly yes: boolean;
        }>`SELECT current_setting('transaction_read_only') = 'off' AS yes`.pipe(
          Effect.map(([row]) => row?.yes === true),
          Effect.timeoutOption("2 seconds"),
          Effect.map(Option.getOrElse(() => false)),
          Effect.catchCause(() => Effect.succeed(false)),
          Effect.provideService(Clock.Clock, clock),
        ),
      });
    }),
  );

  /** The database of the settings, started if it is embedded, with every migration applied. */
  static readonly layer: Layer.Layer<
    Database | SqlClient.SqlClient | PgClient.PgClient,
    DatabaseUnusable,
    Settings | DataDirectory | MigrationFiles
  > = Layer.unwrap(
    Effect.gen(function* () {
      const { databaseUrl, roles } = yield* Settings;
      const applicationName = sessionName({ roles, host: hostname(), pid: process.pid });
      const client =
        databaseUrl === undefined
          ? Layer.unwrap(
              Effect.map(EmbeddedPostgres, ({ socketPath, username, database }) =>
                postgresLayer({ _tag: "socket", path: socketPath, username, database }, { applicationName }),
              ),
            ).pipe(Layer.provide(EmbeddedPostgres.layer))
          : postgresLayer({ _tag: "url", url: databaseUrl }, { applicationName });
      return Layer.effectDiscard(Effect.andThen(migrate, Effect.forkScoped(watchSchema))).pipe(
        Layer.provideMerge(Database.layerClient),
        Layer.provideMerge(client),
      );
    }),
  );
}

const maxRetries = 3;

const sqlErrors = (cause: Cause.Cause<unknown>): ReadonlyArray<SqlError.SqlError> =>
  cause.reasons.flatMap((reason) => {
    const value = Cause.isFailReason(reason)
      ? reason.error
      : Cause.isDieReason(reason)
        ? reason.defect
        : undefined;
    return SqlError.isSqlError(value) ? [value] : [];
  });

/** Leaves domain errors where they are and turns those of SQL into defects. */
const dieOfSql = <A, E, R>(
  effect: Effect.Effect<A, E, R>,
): Effect.Effect<A, Exclude<E, SqlError.SqlError>, R> =>
  Effect.catchIf(
    effect,
    (error): error is Extract<E, SqlError.SqlError> => SqlError.isSqlError(error),
    (error) => Effect.die(error),
  ) as Effect.Effect<A, Exclude<E, SqlError.SqlError>, R>;

/** Notes, once it begins, how long it took from here. */
const noting = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> => {
  const asked = performance.now();
  const note = Effect.suspend(() => noteWait(performance.now() - asked));
  return Effect.andThen(note, effect);
};

const atomically = <A, E, R>(
  sql: SqlClient.SqlClient,
  clock: Clock.Clock,
  effect: Effect.Effect<A, E, R>,
): Effect.Effect<A, Exclude<E, SqlError.SqlError>, R> => {
  const transaction = (retriesLeft: number): Effect.Effect<A, E | SqlError.SqlError, R> =>
    Effect.catchCause(
      Effect.suspend(() => sql.withTransaction(noting(effect))),
      (cause) => {
        if (retriesLeft === 0 || !sqlErrors(cause).some(isConflict)) return Effect.failCause(cause);
        // Two that met must not meet again: each waits a while of its own.
        const pause = Effect.suspend(() =>
          Effect.sleep(5 + Math.random() * 45 * (maxRetries + 1 - retriesLeft)),
        );
        return pause.pipe(
          Effect.provideService(Clock.Clock, clock),
          Effect.andThen(countRetry),
          Effect.andThen(transaction(retriesLeft - 1)),
        );
      },
    );
  return Effect.flatMap(Effect.serviceOption(sql.transactionService), (joined) =>
    dieOfSql<A, E | SqlError.SqlError, R>(Option.isSome(joined) ? effect : transaction(maxRetries)),
  );
};
