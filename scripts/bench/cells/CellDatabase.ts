import { Effect, type Layer, Redacted } from "effect";
import { SqlClient } from "effect/sql";
import { readFileSync } from "node:fs";
import process from "node:process";
import { postgresLayer } from "../../../src/database/Postgres.ts";
import { benchClient } from "../BenchDatabase.ts";

/** Bits of a device key within its cell (docs/cells.md). */
const cellBits = 20;
const workspaceId = 7;

/** The first device key of a cell, which no device has. */
export const firstKey = (ordinal: number): number => ordinal << cellBits;
/** The cell of the devices of the workspace with this ordinal: the ordinal above, the workspace below. */
export const cellAt = (ordinal: number): number => (ordinal << cellBits) | workspaceId;
/** The cell of a device key. */
export const cellOf = (key: number): number => ((key >>> cellBits) << cellBits) | workspaceId;
/** SQL: the cell of a device key, which is an expression of trusted text. */
export const cellSql = (key: string): string => `((${key} >> ${cellBits} << ${cellBits}) | ${workspaceId})`;

const url = process.env["BENCH_DATABASE_URL"];

/** The database of the bench: its own embedded PostgreSQL, or that of BENCH_DATABASE_URL. */
export const cellClient = (directory: string): Layer.Layer<SqlClient.SqlClient, unknown> =>
  url === undefined
    ? benchClient(directory)
    : postgresLayer({ _tag: "url", url: Redacted.make(url) }, { maxConnections: 1 });

/** Runs a statement of trusted text. */
export const run = Effect.fnUntraced(function* <Row extends object = object>(text: string) {
  const sql = yield* SqlClient.SqlClient;
  return yield* sql<Row>`${sql.literal(text)}`.unprepared;
});

/** Runs a statement of trusted text that may take many minutes. */
export const runLong = Effect.fnUntraced(function* <Row extends object = object>(text: string) {
  const sql = yield* SqlClient.SqlClient;
  // The pool ends a connection whose statement exceeds the limit, unless its transaction sets another one.
  return yield* sql.withTransaction(
    Effect.andThen(sql`SET LOCAL statement_timeout = 3600000`.unprepared, run<Row>(text)),
  );
});

/** Tables that are distributed on Citus, the first one the one that others are colocated with. */
const byCell = [
  "device",
  "device_person",
  "delivery",
  "delivery_delta",
  "push_queue",
  "send_figures",
  "cell_state",
  "reached",
  "reached_set",
];

/**
 * The tables of the design in miniature: those of devices by cell, the installations by themselves, the
 * counter on the coordinator. Environments, texts and instants that nothing here reads are left out.
 * Unlogged, so that a run needs half of the disk.
 */
const tables = [
  "CREATE TABLE tenant (id int PRIMARY KEY, last_device_key int NOT NULL)",
  "CREATE TABLE send (source_id bigint PRIMARY KEY, delivered int NOT NULL)",
  "CREATE TABLE two_phase (id int PRIMARY KEY)",
  `CREATE UNLOGGED TABLE device (cell int, key int, installation uuid NOT NULL, person int,
    transport "char" NOT NULL, seen_at timestamptz NOT NULL, PRIMARY KEY (cell, key)) WITH (fillfactor = 90)`,
  `CREATE UNLOGGED TABLE device_person (cell int, person int, other_cells int[],
    PRIMARY KEY (cell, person))`,
  "CREATE UNLOGGED TABLE device_installation (id uuid PRIMARY KEY, key int NOT NULL)",
  `CREATE UNLOGGED TABLE delivery (cell int, source_id bigint, device_key int, person int, campaign_key int,
    status "char", transport "char", created_at timestamptz, PRIMARY KEY (cell, source_id, device_key))`,
  "CREATE INDEX delivery_of_device ON delivery (cell, device_key, created_at DESC)",
  `CREATE INDEX delivery_of_person ON delivery (person, campaign_key, created_at DESC)
    WHERE person IS NOT NULL`,
  `CREATE UNLOGGED TABLE delivery_delta (cell int, quarter timestamptz, campaign_key int,
    device_keys int[])`,
  `CREATE UNLOGGED TABLE push_queue (cell int, source_id bigint, device_key int, transport "char",
    due_at timestamptz, PRIMARY KEY (cell, source_id, device_key))`,
  "CREATE INDEX push_queue_due ON push_queue (cell, transport, due_at)",
  "CREATE TABLE send_figures (cell int, source_id bigint, targeted int, PRIMARY KEY (cell, source_id))",
  "CREATE TABLE cell_state (cell int PRIMARY KEY)",
  "CREATE UNLOGGED TABLE reached_set (cell int, month int, devices bytea, PRIMARY KEY (cell, month))",
  "ALTER TABLE reached_set ALTER COLUMN devices SET STORAGE EXTERNAL",
  "CREATE UNLOGGED TABLE whole_set (month int PRIMARY KEY, devices bytea)",
  "ALTER TABLE whole_set ALTER COLUMN devices SET STORAGE EXTERNAL",
];

/** Creates the tables empty, in a schema of their own; on Citus distributed. True on Citus. */
export const createTables = Effect.gen(function* () {
  yield* run("SET client_min_messages = warning");
  yield* run("SET max_parallel_workers_per_gather = 0");
  yield* run("SET enable_partitionwise_aggregate = on");
  yield* run("SET work_mem = '64MB'");
  yield* run("SET maintenance_work_mem = '512MB'");
  yield* run("DROP SCHEMA IF EXISTS cells_bench CASCADE");
  yield* run("CREATE SCHEMA cells_bench");
  yield* run("SET search_path = cells_bench, public");
  for (const table of tables) yield* run(table);
  yield* run("INSERT INTO tenant VALUES (1, 0)");
  const [citus] = yield* run("SELECT FROM pg_extension WHERE extname = 'citus'");
  const reached = "CREATE TABLE reached (cell int, campaign_key int, device_key int)";
  // On one PostgreSQL a partition is what a shard is on Citus.
  yield* run(citus === undefined ? `${reached} PARTITION BY LIST (cell)` : reached);
  if (citus === undefined) return false;
  const first = "create_distributed_table('device', 'cell')";
  const others = byCell
    .slice(1)
    .map((name) => `create_distributed_table('${name}', 'cell', colocate_with => 'device')`);
  const names = "create_distributed_table('device_installation', 'id')";
  // A statement on it makes a transaction commit in two phases (docs/decisions/0061).
  const twoPhase = "citus_add_local_table_to_metadata('two_phase')";
  for (const step of [first, ...others, names, twoPhase]) yield* run(`SELECT ${step}`);
  return true;
});

/** Drops what the bench made. */
export const dropTables = run("DROP SCHEMA IF EXISTS cells_bench CASCADE");

/** Cost of some work: elapsed, and CPU of its database session where that is on this machine. */
export interface Cost {
  readonly millis: number;
  readonly cpuMillis: number;
}

/** Milliseconds of CPU that a process has used; 0 where the system does not say. */
const cpuMillisOf = (pid: number): number => {
  try {
    return Number(readFileSync(`/proc/${pid}/schedstat`, "utf8").split(" ", 1)[0]) / 1e6;
  } catch {
    return 0;
  }
};

/**
 * Measures some work. The CPU of a session leaves out the load of other programs, which the bench of a
 * shared machine sees in the elapsed time. On Citus the work is on other nodes: there CPU is 0.
 */
export const costOf = Effect.fnUntraced(function* <A, E, R>(work: Effect.Effect<A, E, R>) {
  const pid = url === undefined ? (yield* run<{ pid: number }>("SELECT pg_backend_pid() AS pid"))[0]?.pid : 0;
  const cpu = () => (pid ? cpuMillisOf(pid) : 0);
  const [cpuBefore, began] = [cpu(), performance.now()];
  const result = yield* work;
  return { result, cost: { millis: performance.now() - began, cpuMillis: cpu() - cpuBefore } satisfies Cost };
});

/** The sum of costs. */
export const sumOf = (costs: ReadonlyArray<Cost>): Cost => ({
  millis: costs.reduce((sum, { millis }) => sum + millis, 0),
  cpuMillis: costs.reduce((sum, { cpuMillis }) => sum + cpuMillis, 0),
});

/** A cost for each of `count` rows in microseconds: elapsed, and CPU if it is known. */
export const perRow = ({ cpuMillis, millis }: Cost, count: number): string =>
  `${((millis * 1000) / count).toFixed(2)} µs${
    cpuMillis === 0 ? "" : ` (CPU ${((cpuMillis * 1000) / count).toFixed(2)})`
  }`;

/** How many times one cost for each row is another: by CPU if it is known, else elapsed. */
export const ratioOf = (cost: Cost, count: number, baseline: Cost, baselineCount: number): string => {
  const isCpu = cost.cpuMillis > 0 && baseline.cpuMillis > 0;
  const used = ({ cpuMillis, millis }: Cost) => (isCpu ? cpuMillis : millis);
  return (used(cost) / count / (used(baseline) / baselineCount)).toPrecision(2);
};
