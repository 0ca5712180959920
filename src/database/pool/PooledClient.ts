import { PgClient, type PgConnection, PgTypes } from "@effect/sql-pg";
import { Effect, type Fiber, FiberSet, type Scope } from "effect";
import type { Reactivity } from "effect/reactivity";
import { SqlClient, Statement } from "effect/sql";
import { commit } from "../SeveralNodes.ts";
import { ConnectionPool, type Run } from "./ConnectionPool.ts";
import { watchConnections } from "./ConnectionWatch.ts";
import { CurrentDatabaseTime } from "./DatabaseTime.ts";
import type { DiskSpace } from "./DiskSpace.ts";
import { OnLongConnections } from "./LongConnections.ts";
import { PooledConnection } from "./PooledConnection.ts";
import type { PoolLimits } from "./PoolLimits.ts";
import { type Query, StatementConnection } from "./StatementConnection.ts";
import { graceMillis, TransactionConnection } from "./TransactionConnection.ts";

/** The connections for short statements, or those for long reads. */
interface Connections {
  readonly pool: ConnectionPool;
  /** The `statement_timeout` of their sessions, in milliseconds. */
  readonly statementMillis: number;
}

/** Sends each statement on whichever connection of its pool is free, beside those of others. */
class SharedConnections extends StatementConnection {
  readonly #short: Connections;
  readonly #long: Connections;

  constructor(short: Connections, long: Connections) {
    super();
    this.#short = short;
    this.#long = long;
  }

  /** The connections for the statements of a fiber. */
  of(fiber: Fiber.Fiber<unknown, unknown>): Connections {
    return fiber.getRef(OnLongConnections) ? this.#long : this.#short;
  }

  protected run(sql: string, params: ReadonlyArray<unknown>, prepare: boolean): Query {
    return Effect.uninterruptibleMask((restore) =>
      Effect.withFiber((fiber) => {
        const time = fiber.getRef(CurrentDatabaseTime);
        const { pool, statementMillis } = this.of(fiber);
        return Effect.flatMap(pool.lease("shared", time, restore), (connection) => {
          const sent = connection.submit(sql, params, prepare, statementMillis + graceMillis);
          const result = Effect.flatMap(sent, (statement) => restore(statement.await(time)));
          return Effect.onExit(result, () => Effect.sync(() => pool.release(connection)));
        });
      }),
    );
  }
}

/** A pool of a client: its limits, and the settings of its sessions. Times are in milliseconds. */
export interface ClientPool extends PoolLimits {
  readonly statementMillis: number;
  readonly settings: Readonly<Record<string, string>>;
  /** Called with the id of the server process of each connection. */
  readonly onOpen: (processId: number) => void;
}

/** How often a listening connection is tested, and how long it may take to respond, in milliseconds. */
const listenCheckMillis = 5000;

/** Listens on a connection of its own, which is destroyed if it stops responding. */
const listenOn = Effect.fnUntraced(function* (run: Run, config: PgConnection.Config, channel: string) {
  const connection = yield* Effect.acquireRelease(PooledConnection.open(config), ({ close }) => close);
  const { check, notifications } = yield* connection.listen(channel);
  let isChecking = false;
  yield* Effect.acquireRelease(
    Effect.sync(() =>
      setInterval(() => {
        if (isChecking) return connection.destroy("The listening connection does not respond");
        isChecking = true;
        run(check).addObserver(() => {
          isChecking = false;
        });
      }, listenCheckMillis).unref(),
    ),
    (timer) => Effect.sync(() => clearInterval(timer)),
  );
  return notifications;
});

/** Opens a pool. */
const connectionsOf = Effect.fnUntraced(function* (
  run: Run,
  config: PgClient.PgClientConfig,
  { onOpen, settings, statementMillis, ...limits }: ClientPool,
  diskSpace: DiskSpace["Service"],
) {
  const startupParameters = {
    ...config.startupParameters,
    ...settings,
    statement_timeout: String(statementMillis),
  };
  const session = { ...config, startupParameters, multiplex: true };
  const open = Effect.tap(PooledConnection.open(session, diskSpace.report), ({ processId }) =>
    Effect.sync(() => onOpen(processId)),
  );
  const pool = yield* Effect.acquireRelease(
    Effect.sync(() => new ConnectionPool(open, limits, run)),
    ({ close }) => close,
  );
  yield* watchConnections(pool, config, run);
  return { pool, statementMillis };
});

/**
 * A client over pools whose every statement ends: with its result, with the server's error, or as lost with
 * its connection. Single statements share connections. A transaction has one of its own, on which it can
 * send statements without waiting for the results of earlier ones. Long reads have a pool of their own.
 */
export const pooledClient = Effect.fnUntraced(function* (
  config: PgClient.PgClientConfig,
  pools: { readonly short: ClientPool; readonly long: ClientPool },
  diskSpace: DiskSpace["Service"],
): Effect.fn.Return<PgClient.PgClient, never, Scope.Scope | Reactivity.Reactivity> {
  const run: Run = yield* FiberSet.makeRuntime();
  const shared = new SharedConnections(
    yield* connectionsOf(run, config, pools.short, diskSpace),
    yield* connectionsOf(run, config, pools.long, diskSpace),
  );
  const forTransaction = Effect.uninterruptibleMask((restore) =>
    Effect.withFiber((fiber) => {
      const { pool, statementMillis } = shared.of(fiber);
      const lease = pool.lease("exclusive", fiber.getRef(CurrentDatabaseTime), restore);
      return Effect.flatMap(lease, (connection) => {
        const transaction = new TransactionConnection(connection, statementMillis);
        const release = Effect.andThen(
          transaction.end,
          Effect.sync(() => pool.release(connection)),
        );
        return Effect.as(
          Effect.addFinalizer(() => release),
          transaction,
        );
      });
    }),
  );

  const client: SqlClient.SqlClient = yield* SqlClient.make({
    driver: "postgresql",
    acquirer: Effect.succeed(shared),
    borrower: (use) => use(shared),
    transactionAcquirer: forTransaction,
    compiler: PgClient.makeCompiler(),
    prepareTransactionControls: true,
    commit: (connection) =>
      connection instanceof TransactionConnection
        ? commit(client, connection)
        : Effect.die("Not a transaction"),
    releaseSavepoint: (name) => `RELEASE SAVEPOINT ${name}`,
    spanAttributes: [["db.system.name", "postgresql"]],
  });
  yield* diskSpace.watch(client, run);
  return Object.assign(client, {
    [PgClient.TypeId]: PgClient.TypeId,
    config,
    json: (value: unknown) => Statement.fragment([Statement.parameter(PgTypes.jsonb(value))]),
    listen: (channel: string) => listenOn(run, config, channel),
    notify: (channel: string, payload: string) =>
      Effect.asVoid(shared.executeRaw("SELECT pg_notify($1, $2)", [channel, payload])),
  });
});
