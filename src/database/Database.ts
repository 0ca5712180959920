/** The database of a process: the embedded one, or the one in `DATABASE_URL`. */
import { type Cause, Clock, Context, Effect, Layer, Option, Predicate, type Redacted } from "effect";
import { SqlClient, SqlError } from "effect/sql";
import { hostname } from "node:os";
import { Settings } from "../config/Settings.ts";
import { checkedBeforeCommit, CommitRefused } from "./BeforeCommit.ts";
import { isConflict, refusalOf, type Unavailability, unavailabilityOf } from "./DatabaseFailure.ts";
import { countRetry, recordWait } from "./DatabaseMetrics.ts";
import { EmbeddedPostgres } from "./embedded/EmbeddedPostgres.ts";
import {
  migrate,
  type MigrationFiles,
  type MigrationRefused,
  missingMigrations,
} from "./migrations/Migrations.ts";
import { watchSchema } from "./migrations/SchemaWatch.ts";
import { DiskSpace } from "./pool/DiskSpace.ts";
import { ConnectionDivision, divided, maxStatementConnections } from "./pool/PoolLimits.ts";
import { ProcessMember } from "../processes/ProcessMember.ts";
import { type PostgresTarget, postgresLayer } from "./Postgres.ts";
import { sessionName } from "./SessionName.ts";

/** Transactions and health. SQL failures are defects; the error channel has domain errors only. */
export class Database extends Context.Service<
  Database,
  {
    /**
     * Runs the effect in the current transaction, or in a new one that commits if the effect succeeds and
     * rolls back if it fails, dies or is interrupted. A new transaction that conflicts with another one is
     * retried up to three times, so the effect must have no side effects but SQL. A new transaction dies with
     * `CommitRefused` if a statement called `refuse_commit`.
     */
    readonly atomically: <A, E, R>(
      effect: Effect.Effect<A, E, R>,
    ) => Effect.Effect<A, Exclude<E, SqlError.SqlError>, R>;
    /** Whether the fiber is in a transaction. */
    readonly isInTransaction: Effect.Effect<boolean>;
    /** Whether the database answers within two seconds and accepts writes; a standby does not. */
    readonly ready: Effect.Effect<boolean>;
    /** Whether the disk of the database has no space for a change. */
    readonly isDiskFull: Effect.Effect<boolean>;
  }
>()("waypost/database/Database") {
  /** Why the database could not run a statement that the cause holds. Respond with 503, or retry later. */
  static readonly unavailability = (cause: Cause.Cause<unknown>): Unavailability | null => {
    for (const error of sqlErrors(cause)) {
      const unavailability = unavailabilityOf(error);
      if (unavailability !== null) return unavailability;
    }
    return null;
  };
  /** Whether the database could not run a statement that the cause holds. */
  static readonly isUnavailable = (cause: Cause.Cause<unknown>): boolean =>
    Database.unavailability(cause) !== null;

  /** Over an existing client whose schema is up to date. */
  static readonly layerClient: Layer.Layer<Database, never, SqlClient.SqlClient> = Layer.effect(
    Database,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient;
      const diskSpace = Option.getOrNull(yield* Effect.serviceOption(DiskSpace));
      // The clock at the time of the build: retry pauses are real even if a test replaces the clock later.
      const clock = yield* Clock.Clock;
      return Database.of({
        atomically: (effect) => atomically(sql, clock, effect),
        isInTransaction: Effect.map(Effect.serviceOption(sql.transactionService), Option.isSome),
        ready: sql<{ readonly ok: boolean }>`
          SELECT current_setting('transaction_read_only') = 'off' AS ok`.pipe(
          Effect.map(([row]) => row?.ok === true),
          Effect.timeoutOption("2 seconds"),
          Effect.map(Option.getOrElse(() => false)),
          Effect.catchCause(() => Effect.succeed(false)),
          Effect.provideService(Clock.Clock, clock),
        ),
        isDiskFull: diskSpace?.isFull ?? Effect.succeed(false),
      });
    }),
  );

  /** The database of the settings, with every migration applied. Starts it if it is embedded. */
  static readonly layer = Layer.unwrap(
    Effect.gen(function* () {
      const { databaseUrl } = yield* Settings;
      const member = yield* ProcessMember;
      if (member !== null) {
        // The supervisor runs the embedded server and has applied all migrations. A process that replaces
        // another one fails if a newer version has migrated the schema since.
        const target = member.database === null ? urlTarget(databaseUrl) : socketTarget(member.database);
        return Database.layerAt(target, missingMigrations, member.connections);
      }
      return databaseUrl === undefined
        ? Layer.unwrap(Effect.map(EmbeddedPostgres, Database.layerOf)).pipe(
            Layer.provide(EmbeddedPostgres.layer),
          )
        : Database.layerOf(null);
    }),
  );

  /**
   * The database of a running embedded server, or of `DATABASE_URL` if that is null, with every migration
   * applied.
   */
  static readonly layerOf = (server: EmbeddedPostgres["Service"] | null) =>
    Layer.unwrap(
      Effect.map(Settings, ({ databaseUrl }) =>
        Database.layerAt(
          server === null ? urlTarget(databaseUrl) : socketTarget(server),
          migrate,
          maxStatementConnections,
        ),
      ),
    );

  /** A server on which `schema` has succeeded, with so many connections for statements. */
  static readonly layerAt = <A>(
    target: PostgresTarget,
    schema: Effect.Effect<A, MigrationRefused, SqlClient.SqlClient | MigrationFiles>,
    maxConnections: number,
  ) =>
    Layer.effectDiscard(Effect.andThen(schema, Effect.forkScoped(watchSchema))).pipe(
      Layer.provideMerge(Database.layerClient),
      Layer.provideMerge(poolLayer(target, maxConnections)),
      Layer.provideMerge(Layer.succeed(ConnectionDivision, divided(maxConnections))),
    );
}

/** The server of `DATABASE_URL`. */
const urlTarget = (url: Redacted.Redacted | undefined): PostgresTarget => {
  if (url === undefined) throw new Error("Neither DATABASE_URL nor an embedded server is known");
  return { _tag: "url", url };
};

/** An embedded server. */
const socketTarget = ({ database, socketPath, username }: Omit<EmbeddedPostgres["Service"], "pid">) =>
  ({ _tag: "socket", path: socketPath, username, database }) satisfies PostgresTarget;

/** The pool of this process, for so many connections for statements. */
const poolLayer = (target: PostgresTarget, maxConnections: number) =>
  Layer.unwrap(
    Effect.map(Settings, ({ roles }) => {
      const connections = maxConnections + 1;
      const applicationName = sessionName({ roles, host: hostname(), pid: process.pid, connections });
      return postgresLayer(target, { applicationName, maxConnections });
    }),
  );

const maxRetries = 3;

const sqlErrors = (cause: Cause.Cause<unknown>): ReadonlyArray<SqlError.SqlError> =>
  cause.reasons
    .map((reason) => ("error" in reason ? reason.error : "defect" in reason ? reason.defect : null))
    .filter(SqlError.isSqlError);

/** Turns SQL errors into defects and keeps domain errors. */
const orDieOfSql = <A, E, R>(
  effect: Effect.Effect<A, E, R>,
): Effect.Effect<A, Exclude<E, SqlError.SqlError>, R> =>
  Effect.catchIf(
    effect,
    (error): error is Extract<E, SqlError.SqlError> => SqlError.isSqlError(error),
    (error) => Effect.die(error),
  ) as Effect.Effect<A, Exclude<E, SqlError.SqlError>, R>;

const atomically = <A, E, R>(
  sql: SqlClient.SqlClient,
  clock: Clock.Clock,
  effect: Effect.Effect<A, E, R>,
): Effect.Effect<A, Exclude<E, SqlError.SqlError>, R> => {
  const transaction = (retriesLeft: number): Effect.Effect<A, E | SqlError.SqlError, R> =>
    Effect.catchCause(
      Effect.suspend(() => {
        const requestedAt = performance.now();
        const recordBegin = Effect.suspend(() => recordWait(performance.now() - requestedAt));
        return sql.withTransaction(Effect.andThen(recordBegin, checkedBeforeCommit(effect)));
      }),
      (cause) => {
        const reason = sqlErrors(cause).map(refusalOf).find(Predicate.isNotNull);
        if (reason !== undefined) return Effect.die(new CommitRefused({ reason }));
        if (retriesLeft === 0 || !sqlErrors(cause).some(isConflict)) return Effect.failCause(cause);
        // Random pauses keep two conflicting transactions from meeting again.
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
    orDieOfSql<A, E | SqlError.SqlError, R>(Option.isSome(joined) ? effect : transaction(maxRetries)),
  );
};
