import { assert } from "@effect/vitest";
import { Effect } from "effect";
import { SqlClient } from "effect/sql";
import { arrayOf } from "../../src/database/Rows.ts";

/** Tables that every request may change: counters, and media bytes that await deletion. */
const counters = ["rate_window", "failed_attempt", "media_garbage"];
/** Tables that workers derive from other tables. */
const derived = [
  "delivery_delta",
  "device_delta",
  "enrolment_count",
  "variant_count",
  "delivery_rollup",
  "answer_delta",
  "answer_rollup",
  "event_delta",
  "event_rollup",
  "interaction_delta",
  "interaction_rollup",
  "rollup_state",
];
const ignoredTables = [...counters, ...derived];
/** Columns that requests or workers may change: times of use, and the state of thumbnails. */
const ignoredColumns = [
  "last_used_at",
  "last_seen_at",
  "token_used",
  "thumbnail",
  "thumbnail_tries",
  "thumbnail_due_at",
];

interface Table {
  readonly name: string;
  readonly rows: number;
  readonly digest: string;
}

/** The row count and a digest of each table of the database. */
export type Snapshot = ReadonlyMap<string, Table>;

/** A table, and its columns that requests must not change. */
interface Columns {
  readonly name: string;
  readonly columns: string;
}

/** The tables, read once: every database of a run has the same ones. */
let tables: ReadonlyArray<Columns> | undefined;

const readTables = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient;
  return yield* sql<Columns>`
    SELECT c.relname AS name, string_agg('t.' || quote_ident(a.attname), ', ' ORDER BY a.attnum) AS columns
    FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
    WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition
      AND c.relname <> ALL (${arrayOf("text", ignoredTables)})
      AND a.attname <> ALL (${arrayOf("text", ignoredColumns)})
    GROUP BY 1`;
});

const rowsByTable = <A extends { readonly name: string }>(statementOf: (table: Columns) => string) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient;
    tables ??= yield* readTables;
    const rows = yield* sql.unsafe<A>(tables.map(statementOf).join("\nUNION ALL\n"));
    return new Map(rows.map((row) => [row.name, row]));
  }).pipe(Effect.orDie);

/** Takes a snapshot of the database of this test file. */
export const takeSnapshot: Effect.Effect<Snapshot, never, SqlClient.SqlClient> = rowsByTable<Table>(
  ({ columns, name }) => `
    SELECT '${name}' AS name, count(*)::int AS rows,
      coalesce(sum(hashtextextended(ROW(${columns})::text, 0)), 0)::text AS digest FROM "${name}" t`,
);

/** The row count of each table. */
export type RowCounts = ReadonlyMap<string, { readonly name: string; readonly rows: number }>;

/** Counts the rows of the database of this test file: a part of a snapshot that takes a fifth of its time. */
export const countRows: Effect.Effect<RowCounts, never, SqlClient.SqlClient> = rowsByTable(
  ({ name }) => `SELECT '${name}' AS name, count(*)::int AS rows FROM "${name}"`,
);

/** The tables in which two snapshots differ. */
export const changedTables = (before: Snapshot, after: Snapshot): ReadonlyArray<string> =>
  [...after.values()]
    .filter(({ digest, name }) => before.get(name)?.digest !== digest)
    .map(({ name }) => name)
    .toSorted();

/** The change in the number of rows, by table; tables without a change are absent. */
export const growth = (before: RowCounts, after: RowCounts): Readonly<Record<string, number>> =>
  Object.fromEntries(
    [...after.values()]
      .map(({ name, rows }) => [name, rows - (before.get(name)?.rows ?? 0)] as const)
      .filter(([, added]) => added !== 0),
  );

/** Fails when a table differs from the snapshot. */
export const assertUnchanged = (before: Snapshot, why: string) =>
  Effect.map(takeSnapshot, (after) => assert.deepStrictEqual(changedTables(before, after), [], why));
