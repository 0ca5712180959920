/** Access of tests to a database beside Waypost, in ways that work on one PostgreSQL and on Citus. */
import { Effect } from "effect";
import { SqlClient } from "effect/sql";
import { TestClock } from "effect/testing";
import { inject } from "vitest";

/** Whether the database of the test is distributed. */
export const isOnCitus = (): boolean => inject("testServer").citus !== null;

/** Runs a statement on triggers. Citus allows none on a distributed table unless its owner wants the risk. */
const onTriggers = (statement: string) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    sql.withTransaction(
      Effect.andThen(
        sql`SET LOCAL citus.enable_unsafe_triggers = on`,
        Effect.asVoid(sql.unsafe(statement).unprepared),
      ),
    ),
  ).pipe(Effect.orDie);

/** Creates a trigger: its name, and all that follows. */
export const createTrigger = (definition: string) => onTriggers(`CREATE TRIGGER ${definition}`);

/** Drops a trigger: its name, and its table. */
export const dropTrigger = (name: string) => onTriggers(`DROP TRIGGER ${name}`);

/** Runs a statement on each node. */
const onEachNode = (statement: string) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient;
    yield* sql.unsafe(statement).unprepared;
    if (isOnCitus()) yield* sql`SELECT success FROM run_command_on_workers(${statement})`;
  }).pipe(Effect.orDie);

/** Creates a sequence on each node: triggers of shards count with that of theirs. */
export const createSequence = (name: string) => onEachNode(`CREATE SEQUENCE ${name}`);

/** Drops such a sequence. */
export const dropSequence = (name: string) => onEachNode(`DROP SEQUENCE ${name}`);

/** Whether such a sequence has been used. */
export const isSequenceUsed = (name: string) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient;
    const used = `SELECT is_called FROM ${name}`;
    const rows = isOnCitus()
      ? yield* sql<{ readonly used: boolean }>`
          SELECT result = 't' AS used FROM run_command_on_workers(${used})`
      : yield* sql<{ readonly used: boolean }>`SELECT is_called AS used FROM ${sql(name)}`;
    return rows.some((row) => row.used);
  }).pipe(Effect.orDie);

/** Waits, in real time, until an effect gives true. */
const eventually = <E, R>(condition: Effect.Effect<boolean, E, R>) =>
  TestClock.withLive(
    Effect.timeout(Effect.repeat(condition, { until: (holds) => holds }), "100 seconds"),
  ).pipe(Effect.asVoid, Effect.orDie);

/** Waits until a statement like the pattern waits for a lock in this database. */
export const lockWait = (pattern: string) =>
  eventually(
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient;
      const rows = yield* sql`
        SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE ${pattern}
          AND datname = current_database() AND pid <> pg_backend_pid()`;
      if (rows.length > 0 || !isOnCitus()) return rows.length > 0;
      // The text of a statement that runs whole on a shard is a parameter there.
      const others = yield* sql`
        SELECT FROM citus_lock_waits WHERE blocked_statement LIKE ANY (ARRAY[${pattern}, '%run_on_shard(%'])`;
      return others.length > 0;
    }),
  );

/** The transactions of other sessions of clients in this database. */
const openTransactions = `
  SELECT count(*)::int AS count FROM pg_stat_activity
  WHERE xact_start IS NOT NULL AND backend_type = 'client backend'
    AND datname = current_database() AND pid <> pg_backend_pid()`;

/** Waits until all transactions of other sessions have ended, and so released their locks, on each node. */
export const transactionsEnd = eventually(
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient;
    const counts = [...(yield* sql<{ readonly count: number }>`${sql.literal(openTransactions)}`)];
    if (isOnCitus())
      counts.push(
        ...(yield* sql<{ readonly count: number }>`
          SELECT result::int AS count FROM run_command_on_workers(${openTransactions})`),
      );
    return counts.every(({ count }) => count === 0);
  }),
);

/** How many rows a table has by its statistics; -1 without any. */
export const estimatedRows = (table: string) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient;
    const [row] = isOnCitus()
      ? yield* sql<{ readonly rows: number }>`
          SELECT COALESCE(sum(result::float8) FILTER (WHERE result::float8 >= 0), -1)::int AS rows
          FROM run_command_on_shards(${table}, 'SELECT reltuples FROM pg_class WHERE oid = ''%s''::regclass')`
      : yield* sql<{ readonly rows: number }>`
          SELECT reltuples::int AS rows FROM pg_class WHERE relname = ${table}`;
    return row?.rows;
  }).pipe(Effect.orDie);

/** Locks the row of a device until the transaction ends. */
export const lockDevice = (id: string) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient;
    const [row] = yield* sql<{ readonly of: number }>`SELECT workspace_id AS of FROM device WHERE id = ${id}`;
    // Without its workspace the statement would lock the shards of all workspaces on Citus.
    yield* sql`SELECT 1 FROM device WHERE workspace_id = ${row?.of ?? 0} AND id = ${id} FOR UPDATE`;
  }).pipe(Effect.orDie);
