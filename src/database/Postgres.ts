/** The pool of connections to PostgreSQL. */
import { PgClient } from "@effect/sql-pg";
import { Context, Data, type Duration, Effect, Layer, Redacted, Schedule } from "effect";
import { Reactivity } from "effect/reactivity";
import { SqlClient } from "effect/sql";
import { yieldCpu } from "../processes/CpuPriority.ts";
import { mayAnswerSoon, reasonOf } from "./DatabaseFailure.ts";
import { silentMillis } from "./pool/ConnectionWatch.ts";
import { DiskSpace } from "./pool/DiskSpace.ts";
import { pooledClient } from "./pool/PooledClient.ts";
import { divided, maxStatementConnections } from "./pool/PoolLimits.ts";

/** How to reach the server. */
export type PostgresTarget =
  | { readonly _tag: "socket"; readonly path: string; readonly username: string; readonly database: string }
  | { readonly _tag: "url"; readonly url: Redacted.Redacted };

/** PostgreSQL cannot be used: it is unreachable, too old, or not in UTF-8. The message has no password. */
export class PostgresUnusable extends Data.TaggedError("PostgresUnusable")<{
  readonly target: string;
  readonly problem: string;
}> {
  override get message(): string {
    return `The database at ${this.target} cannot be used: ${this.problem}`;
  }
}

/** PostgreSQL 15, the oldest version with every feature that the statements use. */
const minVersion = 150_000;

const statementMillis = 30_000;
/** The same of long reads: with the wait for a permit it is within the time of a request. */
const longReadMillis = 20_000;

const sessionSettings: Readonly<Record<string, string>> = {
  timezone: "UTC",
  // A lock that is held longer is held by a process that froze: the request fails with 503.
  lock_timeout: "5000",
  // The locks of a process that froze or lost its network are free again after these.
  idle_in_transaction_session_timeout: "10000",
  tcp_keepalives_idle: "10",
  tcp_keepalives_interval: "2",
  tcp_keepalives_count: "3",
  tcp_user_timeout: "10000",
  client_connection_check_interval: "2000",
};

/** Milliseconds. */
const poolLimits = {
  idleMillis: 10_000,
  lifeMillis: 1_800_000,
  waitMillis: statementMillis,
  slowMillis: 30,
  silentMillis,
};

/** Limits of the pools. The defaults are for production. */
export interface PostgresOptions {
  /** The name of the sessions in `pg_stat_activity`: at most 63 ASCII characters. */
  readonly applicationName?: string;
  /** Including the connections for long reads (`divided`). */
  readonly maxConnections?: number;
  /** How long the first connection is retried while the server is unavailable, in milliseconds. */
  readonly retryMillis?: number;
  /** Limit for opening one connection. */
  readonly connectTimeout?: Duration.Input;
}

const describe = (target: PostgresTarget): string => {
  if (target._tag === "socket") return target.path;
  const url = URL.parse(Redacted.value(target.url));
  return url === null ? "DATABASE_URL" : `${url.host === "" ? "(socket)" : url.host}${url.pathname}`;
};

const make = (
  { _tag, ...address }: PostgresTarget,
  options: PostgresOptions,
  diskSpace: DiskSpace["Service"],
) => {
  const { long, short } = divided(options.maxConnections ?? maxStatementConnections);
  return pooledClient(
    {
      ...address,
      applicationName: options.applicationName ?? "waypost",
      // Over 300 milliseconds of latency each way, TLS and a password take three seconds.
      connectTimeout: options.connectTimeout ?? "4 seconds",
      keepAlive: "5 seconds",
      // One field may aggregate half a million rows. The limit of PostgreSQL itself is 1 GB.
      maxMessageSize: 512 * 1024 * 1024,
      startupParameters: sessionSettings,
    },
    {
      short: {
        ...poolLimits,
        maxConnections: short,
        // A fifth is left for single statements.
        maxTransactions: Math.max(1, short - Math.ceil(short / 5)),
        // Statements on one connection wait for each other. A slow one holds up at most seven others.
        maxShared: 8,
        // A statement that needs longer changes it in its own transaction.
        statementMillis,
        settings: {},
        onOpen: () => undefined,
      },
      long: {
        ...poolLimits,
        maxConnections: long,
        maxTransactions: long,
        maxShared: 1,
        statementMillis: longReadMillis,
        // Each occupies one core.
        settings: { max_parallel_workers_per_gather: "0" },
        onOpen: _tag === "socket" ? yieldCpu : () => undefined,
      },
    },
    diskSpace,
  );
};

/** The reason why the server cannot be used; null if it can. */
const serverProblem = Effect.fnUntraced(function* (sql: SqlClient.SqlClient) {
  const [server] = yield* sql<{
    readonly number: number;
    readonly version: string;
    readonly encoding: string;
  }>`
    SELECT current_setting('server_version_num')::int AS number, current_setting('server_version') AS version,
           current_setting('server_encoding') AS encoding`;
  if (server === undefined) return null;
  const { encoding, number, version } = server;
  if (number < minVersion) return `it is PostgreSQL ${version}; Waypost needs version 15 or newer.`;
  if (encoding === "UTF8") return null;
  return `its encoding is ${encoding}; Waypost needs a database made with ENCODING 'UTF8'.`;
});

/**
 * A pool whose server answers, is PostgreSQL 15 or newer, and uses UTF-8. Waits for a server that is still
 * starting. Later the pool reconnects by itself.
 */
export const postgresLayer = (
  target: PostgresTarget,
  options: PostgresOptions = {},
): Layer.Layer<PgClient.PgClient | SqlClient.SqlClient | DiskSpace, PostgresUnusable> => {
  const { retryMillis = 15_000 } = options;
  const unusable = (problem: string) => new PostgresUnusable({ target: describe(target), problem });
  return Layer.effectContext(
    Effect.gen(function* () {
      const diskSpace = yield* DiskSpace.make;
      const client = yield* make(target, options, diskSpace);
      const reportWait = yield* Effect.cached(
        Effect.logWarning(
          `The database at ${describe(target)} does not answer yet; trying for ` +
            `${retryMillis / 1000} seconds`,
        ),
      );
      const firstAnswer = Effect.tapError(serverProblem(client), (error) =>
        mayAnswerSoon(error) && retryMillis > 0 ? reportWait : Effect.void,
      );
      const problem = yield* Effect.retry(firstAnswer, {
        schedule: Schedule.spaced("250 millis"),
        times: Math.ceil(retryMillis / 250),
        while: mayAnswerSoon,
      });
      if (problem !== null) return yield* unusable(problem);
      return Context.make(PgClient.PgClient, client).pipe(
        Context.add(SqlClient.SqlClient, client),
        Context.add(DiskSpace, diskSpace),
      );
    }).pipe(
      Effect.catchTag("SqlError", (error) => unusable(`${reasonOf(error)}.`)),
      Effect.provideServiceEffect(Reactivity.Reactivity, Reactivity.make),
    ),
  );
};
