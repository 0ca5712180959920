import { PgConnection } from "@effect/sql-pg";
import { Effect, Exit, Predicate, Scope } from "effect";
import { SqlError } from "effect/sql";
import { Socket } from "node:net";
import { RunningStatement, type StatementExit } from "./RunningStatement.ts";

/** A failure of the connection, as the driver reports it. The request is answered with 503. */
export const connectionLost = (message: string): SqlError.SqlError =>
  new SqlError.SqlError({
    reason: new SqlError.ConnectionError({ cause: new Error(message), message, operation: "query" }),
  });

/**
 * The driver's socket. The driver can close a connection only politely, which waits for the server, so a
 * server that does not respond would keep it open forever.
 */
const socketOf = (session: PgConnection.PgConnection): Socket => {
  const internals = Predicate.hasProperty(session, "session") ? session.session : null;
  if (Predicate.hasProperty(internals, "socket") && internals.socket instanceof Socket)
    return internals.socket;
  throw new Error("This version of @effect/sql-pg keeps its socket elsewhere");
};

/**
 * A connection of the pool. Statements are pipelined: they are sent without waiting for earlier ones, and
 * PostgreSQL runs them in order. Times are of `performance.now()`, in milliseconds.
 */
export class PooledConnection {
  /** Leases of single statements, or the one lease of a transaction. */
  leases = 0;
  isExclusive = false;
  readonly openedAt = performance.now();
  /** When the last lease ended. */
  idleSince = performance.now();
  /** When a statement last ended. */
  heardAt = performance.now();
  /** When the server last said that it runs the statement. */
  provenActiveAt = Number.NEGATIVE_INFINITY;
  readonly #running = new Set<RunningStatement>();
  readonly #session: PgConnection.PgConnection;
  readonly #socket: Socket;
  readonly #scope: Scope.Closeable;
  #bytes = 0;
  #quietSince = performance.now();

  readonly #report: (exit: StatementExit) => void;

  private constructor(
    session: PgConnection.PgConnection,
    scope: Scope.Closeable,
    report: (exit: StatementExit) => void,
  ) {
    this.#session = session;
    this.#scope = scope;
    this.#report = report;
    this.#socket = socketOf(session);
  }

  /** Opens a connection, which the pool closes. `report` gets the result of every statement. */
  static readonly open = (
    config: PgConnection.Config,
    report: (exit: StatementExit) => void = () => undefined,
  ): Effect.Effect<PooledConnection, SqlError.SqlError> =>
    Effect.uninterruptibleMask((restore) =>
      Effect.gen(function* () {
        const scope = yield* Scope.make();
        const session = yield* restore(PgConnection.make(config)).pipe(
          Scope.provide(scope),
          Effect.onError((cause) => Scope.close(scope, Exit.failCause(cause))),
        );
        return new PooledConnection(session, scope, report);
      }),
    );

  /** The id of the server process. */
  get processId(): number {
    return this.#session.processId;
  }

  /** Whether the connection has ended, for whatever reason. */
  get isClosed(): boolean {
    return this.#socket.destroyed;
  }

  /** Whether a statement waits for its result. */
  get isBusy(): boolean {
    return this.#running.size > 0;
  }

  /** The statement that waits longest; undefined if none waits. */
  get oldest(): RunningStatement | undefined {
    return this.#running.values().next().value;
  }

  /** Sends a statement. Statements of one connection run in the order of the calls. */
  submit(
    sql: string,
    params: ReadonlyArray<unknown>,
    prepare: boolean,
    limit: number,
  ): Effect.Effect<RunningStatement> {
    return Effect.suspend(() => {
      const statement = new RunningStatement(limit);
      this.#running.add(statement);
      return Effect.map(
        Effect.forkDetach(this.#session.query(sql, params, prepare), { startImmediately: true }),
        (fiber) => {
          fiber.addObserver((exit) => {
            this.#running.delete(statement);
            this.heardAt = performance.now();
            this.#report(exit);
            statement.settle(exit);
          });
          return statement;
        },
      );
    });
  }

  /**
   * How long a statement has waited without a byte from the server, in milliseconds; 0 if none waits. It is
   * measured between calls, so call it often.
   */
  silence(now: number): number {
    const bytes = this.#socket.bytesRead;
    if (bytes !== this.#bytes || this.#running.size === 0) {
      this.#bytes = bytes;
      this.#quietSince = now;
    }
    return now - Math.max(this.#quietSince, this.oldest?.startedAt ?? now);
  }

  /** How long the statement that runs now has done so, in milliseconds; 0 if none runs. */
  runningFor(now: number): number {
    return now - Math.max(this.heardAt, this.oldest?.startedAt ?? now);
  }

  /** Whether the server should have ended a statement long ago. */
  isOverdue(now: number): boolean {
    for (const { endsAt } of this.#running) if (endsAt < now) return true;
    return false;
  }

  /** Calls the listener once when the connection has ended. */
  onClose(listener: () => void): void {
    this.#socket.once("close", listener);
  }

  /** Ends the connection without the server's consent. Statements that wait fail with the message. */
  destroy(message: string): void {
    this.#socket.destroy(new Error(message));
  }

  /**
   * Takes the connection for a channel. `check` is a statement that a working server answers.
   */
  readonly listen = (channel: string) =>
    Effect.map(
      Effect.flatMap(this.#session.pin, (pinned) =>
        Effect.map(pinned.listen(channel), (notifications) => [pinned, notifications] as const),
      ),
      ([pinned, notifications]) => ({ notifications, check: Effect.ignore(pinned.query("SELECT")) }),
    );

  /** Says goodbye to the server and ends the connection. */
  readonly close: Effect.Effect<void> = Effect.suspend(() => {
    // A server that does not close its side must not keep the socket open.
    this.#socket.setTimeout(5000, () => this.#socket.destroy());
    return Scope.close(this.#scope, Exit.void);
  });
}
