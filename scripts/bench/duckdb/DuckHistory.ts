/**
 * The base rows of a history in a DuckDB beside it, which answers the questions of the reports as well: what a column store gets out of the same rows
 * without rollups (docs/decisions/0031). It is no dependency of the project: who wants it installs it here.
 */
import { Effect } from "effect";
import { SqlClient } from "effect/sql";
import { chmodSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { duckDays } from "./DuckQuestions.ts";

/** A DuckDB with the base rows of the history. */
export interface DuckHistory {
  /** The rows of a statement. */
  readonly ask: (text: string) => Effect.Effect<ReadonlyArray<Record<string, unknown>>>;
}

/** What of each table the reports count or filter by. Columns are named and typed as here, of what is selected. */
const tables = {
  delivery: {
    columns: {
      device_key: "INTEGER",
      campaign_key: "INTEGER",
      notification_key: "INTEGER",
      content_type: "VARCHAR",
      trigger_type: "VARCHAR",
      status: "VARCHAR",
      settled_at: "TIMESTAMPTZ",
    },
    where: "settled_at IS NOT NULL",
  },
  geofence_event: {
    columns: { device_key: "INTEGER", location_key: "INTEGER", type: "VARCHAR", occurred_at: "TIMESTAMPTZ" },
    where: "true",
  },
  survey_response: {
    columns: { campaign_key: "INTEGER", notification_key: "INTEGER", first_answered_at: "TIMESTAMPTZ" },
    where: "true",
  },
  device: { columns: { key: "INTEGER" }, where: "unregistered_at IS NULL" },
  campaign: { columns: { id: "UUID", key: "INTEGER" }, where: "true" },
  location: { columns: { id: "UUID", key: "INTEGER" }, where: "true" },
  notification: { columns: { id: "UUID", key: "INTEGER", type: "VARCHAR" }, where: "true" },
  campaign_location: { columns: { campaign_id: "UUID", location_id: "UUID" }, where: "true" },
  campaign_location_group: { columns: { campaign_id: "UUID", group_id: "UUID" }, where: "true" },
  location_group_member: { columns: { group_id: "UUID", location_id: "UUID" }, where: "true" },
  campaign_notification: {
    columns: { id: "UUID", campaign_id: "UUID", notification_id: "UUID", trigger_type: "VARCHAR" },
    where: "true",
  },
} as const;

/** As much as the page cache that PostgreSQL has of the same rows, with room; cores are all there are. */
const memory = "4GB";

/** DuckDB where it is installed, else undefined, and what to do is said. */
const library = Effect.promise(() =>
  import("@duckdb/node-api").catch((problem: unknown) => {
    if (!(problem instanceof Error && "code" in problem && problem.code === "ERR_MODULE_NOT_FOUND"))
      throw problem;
    console.log(
      "DuckDB is not installed, so its times are left out: npm ci --prefix scripts/bench/duckdb installs it (70 MB).",
    );
    return undefined;
  }),
);

const counts = Object.entries(tables)
  .map(([table, { where }]) => `(SELECT count(*) FROM ${table} WHERE ${where})`)
  .join(" || ',' || ");

/**
 * The base rows of this PostgreSQL in a DuckDB file of the folder, copied there unless they are there already; undefined where DuckDB is not installed.
 * Days are those of the time zone.
 */
export const openDuckHistory = Effect.fnUntraced(function* (directory: string, timezone: string) {
  const duck = yield* library;
  if (duck === undefined) return undefined;
  const sql = yield* SqlClient.SqlClient;
  const file = join(directory, "base.duckdb");
  const open = Effect.acquireRelease(
    Effect.promise(async () => {
      const instance = await duck.DuckDBInstance.create(file, { memory_limit: memory });
      return { instance, connection: await instance.connect() };
    }),
    ({ connection, instance }) =>
      Effect.sync(() => {
        connection.closeSync();
        instance.closeSync();
      }),
  );
  const { connection } = yield* open;
  // A connection that is closed in the middle of a statement waits for ever.
  const ask = (text: string) =>
    Effect.uninterruptible(
      Effect.promise(async () => (await connection.runAndReadAll(text)).getRowObjectsJson()),
    );
  yield* ask(`SET TimeZone = '${timezone}'`);

  const [ours] = yield* sql<{ readonly copied: string }>`SELECT ${sql.literal(counts)} AS copied`.unprepared;
  yield* ask("CREATE TABLE IF NOT EXISTS history (copied VARCHAR)");
  const [theirs] = yield* ask("SELECT copied FROM history");
  if (ours !== undefined && theirs?.["copied"] !== ours.copied) {
    yield* copy(directory, ask);
    yield* ask(`DELETE FROM history`);
    yield* ask(`INSERT INTO history VALUES ('${ours.copied}')`);
    yield* ask("CHECKPOINT");
  }
  yield* ask(duckDays);
  return { ask } satisfies DuckHistory;
});

/** Copies every table by way of a file, which PostgreSQL writes under an account of its own. */
const copy = Effect.fnUntraced(function* (directory: string, ask: DuckHistory["ask"]) {
  const sql = yield* SqlClient.SqlClient;
  const began = performance.now();
  const folder = join(directory, "copied");
  const file = join(folder, "rows.csv");
  yield* Effect.acquireRelease(
    Effect.sync(() => {
      mkdirSync(folder, { recursive: true });
      chmodSync(folder, 0o777);
    }),
    () => Effect.sync(() => rmSync(folder, { recursive: true, force: true })),
  );
  for (const [table, { columns, where }] of Object.entries(tables)) {
    const names = Object.keys(columns).join(", ");
    yield* sql`COPY (SELECT ${sql.literal(names)} FROM ${sql(table)} WHERE ${sql.literal(where)}) TO ${sql.literal(`'${file}'`)} (FORMAT csv)`
      .unprepared;
    const types = Object.entries(columns).map(([name, type]) => `'${name}': '${type}'`);
    yield* ask(
      `CREATE OR REPLACE TABLE ${table} AS SELECT * FROM read_csv('${file}', header = false, columns = {${types.join(", ")}})`,
    );
    rmSync(file, { force: true });
  }
  console.log(`The base rows were copied to DuckDB in ${((performance.now() - began) / 1000).toFixed(0)} s.`);
}, Effect.scoped);
