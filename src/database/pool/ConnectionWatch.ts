import { PgConnection, PgTypes } from "@effect/sql-pg";
import { Cause, Effect, Exit, Result, type Scope } from "effect";
import { SqlError } from "effect/sql";
import { countDestroyed, startCounting } from "../DatabaseMetrics.ts";
import { readsFromClient } from "../SeveralNodes.ts";
import type { ConnectionPool, Run } from "./ConnectionPool.ts";
import type { PooledConnection } from "./PooledConnection.ts";

/** How often the connections are checked, in milliseconds. */
const tickMillis = 500;
/** A connection whose statement has waited this long without a byte is asked about, in milliseconds. */
export const silentMillis = 1500;
/** The answer about a connection holds this long. */
const provenMillis = 2000;
/** Without any answer from the server, a connection is given up after this silence. */
const hopelessMillis = 5000;

/** The server's state of a connection that does not respond. */
interface ServerView {
  readonly pid: number;
  /** Whether the server has nothing to do for it: a statement or its result was lost. */
  readonly waitsForClient: boolean;
}

/** A connection that was silent when the server was asked, and the statement that it was silent for. */
interface Suspect {
  readonly connection: PooledConnection;
  readonly statement: unknown;
}

/** Whether the server itself refused the connection: it is alive. */
const isRefusal = (cause: Cause.Cause<unknown>): boolean =>
  cause.reasons.some(
    (reason) =>
      Cause.isFailReason(reason) &&
      SqlError.isSqlError(reason.error) &&
      reason.error.reason._tag !== "ConnectionError",
  );

/** Asks the server about connections, over a new one. */
const serverViews = (config: PgConnection.Config, pids: ReadonlyArray<number>) =>
  Effect.scoped(
    Effect.gen(function* () {
      const session = yield* PgConnection.make(config);
      const ids = Result.getOrThrow(PgTypes.array(pids, PgTypes.OID.int4));
      const { rows } = yield* session.query(
        `SELECT pid, coalesce(${readsFromClient}, false) AS "waitsForClient"
         FROM pg_stat_activity WHERE pid = ANY ($1) OR pid = pg_backend_pid()`,
        [ids],
        false,
      );
      const views = new Map((rows as unknown as ReadonlyArray<ServerView>).map((row) => [row.pid, row]));
      // Behind a pooler the ids are not those of the server, and its view says nothing.
      return views.has(session.processId) ? views : null;
    }),
  );

/**
 * Ends connections that no longer work, although no error says so: a network that loses every byte, a server
 * that froze, a proxy that passes nothing. It ends one at once if the server says that it waits for a
 * statement, or knows nothing of the connection; after five seconds if the server cannot be reached either;
 * and otherwise when the server's own limit for the statement has passed.
 */
export const watchConnections = (
  pool: ConnectionPool,
  config: PgConnection.Config,
  run: Run,
): Effect.Effect<void, never, Scope.Scope> => {
  let isAsking = false;

  const destroy = (connection: PooledConnection, reason: "deadline" | "silent", message: string): void => {
    const since = connection.oldest?.startedAt;
    connection.destroy(message);
    if (since !== undefined) pool.destroyIdle(since, message);
    run(countDestroyed(reason));
  };

  const settle = (
    suspects: ReadonlyArray<Suspect>,
    exit: Exit.Exit<ReadonlyMap<number, ServerView> | null, unknown>,
  ): void => {
    const now = performance.now();
    for (const { connection, statement } of suspects) {
      const silence = connection.silence(now);
      if (connection.oldest !== statement || silence < silentMillis) continue;
      if (Exit.isSuccess(exit)) {
        const view = exit.value?.get(connection.processId);
        if (exit.value === null || view?.waitsForClient === false) connection.provenActiveAt = now;
        else destroy(connection, "silent", "The server waits for a statement that was sent long ago");
      } else if (silence >= hopelessMillis && !isRefusal(exit.cause)) {
        destroy(connection, "silent", "The server has not responded for five seconds");
      }
    }
  };

  const ask = (suspects: ReadonlyArray<Suspect>): void => {
    isAsking = true;
    const pids = suspects.map(({ connection }) => connection.processId);
    run(Effect.timeout(serverViews(config, pids), "4 seconds")).addObserver((exit) => {
      isAsking = false;
      settle(suspects, exit);
    });
  };

  const tick = (): void => {
    const now = performance.now();
    const suspects: Array<Suspect> = [];
    for (const connection of pool.connections.slice()) {
      const silence = connection.silence(now);
      if (connection.isOverdue(now)) destroy(connection, "deadline", "The server did not respond in time");
      else if (silence >= silentMillis && now - connection.provenActiveAt >= provenMillis)
        suspects.push({ connection, statement: connection.oldest });
    }
    if (suspects.length > 0 && !isAsking) ask(suspects);
    pool.maintain(now);
  };

  return Effect.andThen(
    startCounting,
    Effect.acquireRelease(
      Effect.sync(() => setInterval(tick, tickMillis).unref()),
      (timer) => Effect.sync(() => clearInterval(timer)),
    ),
  );
};
