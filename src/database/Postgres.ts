/** The pool of connections to PostgreSQL, the embedded one or another. */
import { PgClient } from "@effect/sql-pg";
import { Data, type Duration, Effect, type Layer, Redacted, Schedule } from "effect";
import type { SqlClient, SqlError } from "effect/sql";
import { isTemporary } from "./DatabaseFailure.ts";

/** How to reach the server. */
export type PostgresTarget =
  | {
      readonly _tag: "socket";
      readonly path: string;
      readonly username: string;
      readonly database: string;
    }
  | { readonly _tag: "url"; readonly url: Redacted.Redacted };

/** PostgreSQL cannot be used: not reached, too old, or not in UTF-8. The message carries no password. */
export class PostgresUnusable extends Data.TaggedError("PostgresUnusable")<{
  readonly target: string;
  readonly problem: string;
}> {
  override get message(): string {
    return `The database at ${this.target} cannot be used: ${this.problem}`;
  }
}

/** Version 15 is the oldest whose features the statements use. */
const oldestVersion = 150_000;

const sessionSettings: Readonly<Record<string, string>> = {
  timezone: "UTC",
  // Milliseconds. A statement that needs longer says so in its own transaction.
  statement_timeout: "30000",
  idle_in_transaction_session_timeout: "60000",
  // The server drops a client that died without a word within about 16 seconds, and frees what it had locked.
  tcp_keepalives_idle: "10",
  tcp_keepalives_interval: "2",
  tcp_keepalives_count: "3",
  client_connection_check_interval: "2000",
};

/** Limits of the pool; what is left out is for production. */
export interface PostgresOptions {
  /** What the server's list of sessions calls these; at most 63 characters of ASCII. */
  readonly applicationName?: string;
  readonly maxConnections?: number;
  /** How long to retry the first connection while the server is unavailable, in milliseconds. */
  readonly maxWaitMillis?: number;
  /** How long one connection may take to be made. */
  readonly connectTimeout?: Duration.Input;
}

const describe = (target: PostgresTarget): string => {
  if (target._tag === "socket") return target.path;
  const url = URL.parse(Redacted.value(target.url));
  return url === null ? "DATABASE_URL" : `${url.host === "" ? "(socket)" : url.host}${url.pathname}`;
};

const make = (target: PostgresTarget, options: PostgresOptions) =>
  PgClient.make({
    ...(target._tag === "url"
      ? { url: target.url }
      : { path: target.path, username: target.username, database: target.database }),
    applicationName: options.applicationName ?? "waypost",
    maxConnections: options.maxConnections ?? 20,
    multiplex: true,
    // Statements that share a connection wait for each other: few enough that a slow one holds up few.
    multiplexConcurrency: 8,
    // While the server is away a request must be answered, not kept waiting.
    connectTimeout: options.connectTimeout ?? "2 seconds",
    keepAlive: "5 seconds",
    // One field of a row may hold what half a million rows said; PostgreSQL itself ends at 1 GB.
    maxMessageSize: 512 * 1024 * 1024,
    startupParameters: sessionSettings,
  });

interface ServerFacts {
  readonly version: number;
  readonly shown: string;
  readonly encoding: string;
}

const check = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, target: string) {
  const [facts] = yield* sql<ServerFacts>`
    SELECT current_setting('server_version_num')::int AS version, current_setting('server_version') AS shown,
           current_setting('server_encoding') AS encoding`;
  if (facts === undefined) return;
  if (facts.version < oldestVersion) {
    return yield* new PostgresUnusable({
      target,
      problem: `it is PostgreSQL ${facts.shown}; Waypost needs version 15 or newer.`,
    });
  }
  if (facts.encoding !== "UTF8") {
    return yield* new PostgresUnusable({
      target,
      problem: `its encoding is ${facts.encoding}; Waypost needs a database made with ENCODING 'UTF8'.`,
    });
  }
});

const tellWhy = (error: SqlError.SqlError): string => {
  const cause = error.reason.cause;
  return cause instanceof Error && cause.message !== ""
    ? `${error.message} (${cause.message})`
    : error.message;
};

/**
 * A pool that has been tried: the server answers, is version 15 or newer and speaks UTF-8. A server that is still starting is
 * waited for. Later the pool comes back by itself whenever the server does.
 */
export const postgresLayer = (
  target: PostgresTarget,
  options: PostgresOptions = {},
): Layer.Layer<PgClient.PgClient | SqlClient.SqlClient, PostgresUnusable> =>
  PgClient.layerFrom(
    Effect.tap(make(target, options), (client) =>
      check(client, describe(target)).pipe(
        Effect.retry({
          schedule: Schedule.spaced("250 millis"),
          times: Math.ceil((options.maxWaitMillis ?? 15_000) / 250),
          while: (error) => error._tag === "SqlError" && isTemporary(error),
        }),
      ),
    ).pipe(
      Effect.catchTag("SqlError", (error) =>
        Effect.fail(new PostgresUnusable({ target: describe(target), problem: `${tellWhy(error)}.` })),
      ),
    ),
  );
