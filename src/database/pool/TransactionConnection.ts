import { Context, Effect, Exit, Predicate } from "effect";
import { SqlError } from "effect/sql";
import { CurrentDatabaseTime, DatabaseTime } from "./DatabaseTime.ts";
import type { PooledConnection } from "./PooledConnection.ts";
import type { RunningStatement, StatementExit } from "./RunningStatement.ts";
import { type Query, StatementConnection } from "./StatementConnection.ts";

/** Whether statements of a transaction are sent without waiting for their results. */
const Unawaited = Context.Reference<boolean>("waypost/database/pool/Unawaited", {
  defaultValue: () => false,
});

/**
 * Sends the statements of the effect without waiting for their results, which are empty: each saves a round
 * trip. If one fails, the next statement that is waited for fails with its error, or the commit does. One
 * that cannot be sent fails itself. Use it for statements whose rows nobody reads. Outside a transaction it
 * changes nothing.
 */
export const pipelined = <E, R>(effect: Effect.Effect<void, E, R>): Effect.Effect<void, E, R> =>
  Effect.provideService(effect, Unawaited, true);

const noRows = Effect.succeed({ command: "", rowCount: 0, oid: null, rows: [], fields: [] });

/** Whether PostgreSQL refused the statement because an earlier one of its transaction failed. */
const isAfterFailure = ({ reason: { cause } }: SqlError.SqlError): boolean =>
  Predicate.hasProperty(cause, "code") && cause.code === "25P02";

const isSelect = (sql: string): boolean => /^\s*SELECT\b/i.test(sql);

/** Milliseconds that a rollback may take before the connection is destroyed, which rolls back as well. */
const rollbackMillis = 5000;
/** The same if a statement still runs, because its fiber was interrupted. */
const interruptedRollbackMillis = 1000;
/** How long after the server's own limit a statement is given up, in milliseconds. */
export const graceMillis = 1000;

/** The limit of a statement after `SET LOCAL statement_timeout`; null if the statement is another one. */
const changedLimit = (sql: string): number | null => {
  const millis = /^\s*SET LOCAL statement_timeout = (\d+)\s*$/.exec(sql)?.[1];
  if (millis === undefined) return null;
  return millis === "0" ? Number.POSITIVE_INFINITY : Number(millis) + graceMillis;
};

const commitFailed = new SqlError.SqlError({
  reason: new SqlError.UnknownError({
    cause: new Error("COMMIT rolled back a failed transaction"),
    message: "COMMIT rolled back a failed transaction",
    operation: "commit",
  }),
});

/**
 * The connection of a transaction. Statements of concurrent fibers are sent without waiting for each other.
 * `BEGIN` waits for the first statement and is sent together with it if that is a `SELECT`. Any other one
 * waits until `BEGIN` has succeeded: it must not run outside the transaction.
 */
export class TransactionConnection extends StatementConnection {
  readonly #connection: PooledConnection;
  #limit: number;
  #state: "idle" | "requested" | "open" | "ended" = "idle";
  #begin: RunningStatement | null = null;
  #failure: SqlError.SqlError | null = null;

  /** `serverMillis` is the `statement_timeout` of the session. */
  constructor(connection: PooledConnection, serverMillis: number) {
    super();
    this.#connection = connection;
    this.#limit = serverMillis + graceMillis;
  }

  /** Whether a statement was sent, and the transaction has not ended. */
  get isOpen(): boolean {
    return this.#state === "open";
  }

  /** Commits. It fails with the error of the first statement that failed. */
  readonly commit: Effect.Effect<void, SqlError.SqlError> = Effect.withFiber((fiber) => {
    if (this.#state !== "open") return this.#ended;
    const time = fiber.getRef(CurrentDatabaseTime);
    return Effect.flatMap(
      Effect.flatMap(this.#submit("COMMIT", [], true), (statement) => statement.await(time)),
      ({ command }) => {
        this.#state = "ended";
        return command === "ROLLBACK" ? Effect.fail(this.#failure ?? commitFailed) : Effect.void;
      },
    );
  });

  /** Returns the connection to the pool in a state that another transaction can use. */
  readonly end: Effect.Effect<void> = Effect.sync(() => {
    if (this.#state === "open") this.#connection.destroy("A transaction did not end");
  });

  protected run(sql: string, params: ReadonlyArray<unknown>, prepare: boolean): Query {
    if (sql === "BEGIN") return this.#requested;
    if (sql === "ROLLBACK") return this.#rollback;
    // Its transaction, if it began one, would never end.
    if (this.#state === "idle") return Effect.die(new Error(`The statement came before BEGIN: ${sql}`));
    return Effect.withFiber((fiber) => {
      const time = fiber.getRef(CurrentDatabaseTime);
      // One that could not be sent has ended at once. The server knows nothing of it, and would commit.
      const send = Effect.flatMap(this.#submit(sql, params, prepare), (statement) =>
        fiber.getRef(Unawaited) && this.#state === "open" && statement.exit === null
          ? noRows
          : this.#result(statement, time),
      );
      if (this.#state === "requested")
        return Effect.andThen(this.#sendBegin, this.#afterBegin(sql, time, send));
      return this.#begin === null ? send : this.#afterBegin(sql, time, send);
    });
  }

  #afterBegin(sql: string, time: DatabaseTime | null, send: Query): Query {
    return Effect.suspend(() => {
      const begin = this.#begin;
      if (begin === null || begin.exit?._tag === "Success") return send;
      if (!isSelect(sql)) return Effect.andThen(begin.await(time), send);
      return Effect.tap(send, (): Effect.Effect<unknown, SqlError.SqlError> => begin.exit ?? Effect.void);
    });
  }

  readonly #requested: Query = Effect.suspend(() => {
    this.#state = "requested";
    return noRows;
  });

  readonly #ended: Effect.Effect<void> = Effect.sync(() => {
    this.#state = "ended";
  });

  /** Rolls back, and destroys the connection if the server does not respond. It never fails. */
  readonly #rollback: Query = Effect.suspend(() => {
    if (this.#state !== "open") return Effect.andThen(this.#ended, noRows);
    const millis = this.#connection.isBusy ? interruptedRollbackMillis : rollbackMillis;
    return Effect.flatMap(this.#submit("ROLLBACK", [], true), (statement) =>
      statement.await(new DatabaseTime(millis)),
    ).pipe(
      Effect.tap(() => this.#ended),
      Effect.catch(() => Effect.andThen(this.end, noRows)),
    );
  });

  readonly #sendBegin = Effect.suspend(() => {
    this.#state = "open";
    return Effect.map(this.#submit("BEGIN", [], true), (begin) => {
      this.#begin = begin;
    });
  });

  #submit(sql: string, params: ReadonlyArray<unknown>, prepare: boolean): Effect.Effect<RunningStatement> {
    return Effect.suspend(() => {
      this.#limit = changedLimit(sql) ?? this.#limit;
      return Effect.map(this.#connection.submit(sql, params, prepare, this.#limit), (statement) => {
        statement.observe((exit) => this.#recordFailure(exit));
        return statement;
      });
    });
  }

  #recordFailure(exit: StatementExit): void {
    if (Exit.isSuccess(exit) || this.#failure !== null) return;
    const error = exit.cause.reasons.find((reason) => reason._tag === "Fail")?.error;
    if (error !== undefined && !isAfterFailure(error)) this.#failure = error;
  }

  #result(statement: RunningStatement, time: DatabaseTime | null): Query {
    return Effect.mapError(statement.await(time), (error) =>
      isAfterFailure(error) ? (this.#failure ?? error) : error,
    );
  }
}
