import { assert } from "@effect/vitest";
import { Effect } from "effect";
import { SqlClient } from "effect/sql";
import { arrayOf } from "../../src/database/Rows.ts";

/**
 * What changes without a change for anybody: counters, bytes that await their sweeping, marks of use, and how far workers are with a
 * thumbnail.
 */
const counters = ["rate_window", "failed_attempt", "media_garbage"];
/** What workers make of other rows, when they come to it. */
const derived = [
  "delivery_delta",
  "device_delta",
  "delivery_rollup",
  "event_delta",
  "event_rollup",
  "rollup_state",
];
const leftOut = [...counters, ...derived];
const marksOfUse = ["last_used_at", "last_seen_at", "token_used"];
const marks = [...marksOfUse, "thumbnail", "thumbnail_tries", "thumbnail_due_at"];

interface Table {
  readonly name: string;
  readonly rows: number;
  readonly digest: string;
}

/** Everything that the database holds, each table with the number of its rows and a digest of all of them. */
export type Snapshot = ReadonlyMap<string, Table>;

/** The statement that reads it all, written once: every database of a run has the same tables. */
let statement: string | undefined;

const writeStatement = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient;
  const tables = yield* sql<{ readonly name: string; readonly columns: string }>`
    SELECT c.relname AS name, string_agg('t.' || quote_ident(a.attname), ', ' ORDER BY a.attnum) AS columns
    FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
    WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition
      AND c.relname <> ALL (${arrayOf("text", leftOut)}) AND a.attname <> ALL (${arrayOf("text", marks)})
    GROUP BY 1`;
  return tables
    .map(
      ({ columns, name }) => `
        SELECT '${name}' AS name, count(*)::int AS rows,
          coalesce(sum(hashtextextended(ROW(${columns})::text, 0)), 0)::text AS digest FROM "${name}" t`,
    )
    .join("\nUNION ALL\n");
});

/** Takes a snapshot of the whole database of this test file. */
export const takeSnapshot: Effect.Effect<Snapshot, never, SqlClient.SqlClient> = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient;
  statement ??= yield* writeStatement;
  const found = yield* sql.unsafe<Table>(statement);
  return new Map(found.map((table) => [table.name, table]));
}).pipe(Effect.orDie);

/** The tables in which two snapshots differ. */
export const changedTables = (before: Snapshot, after: Snapshot): ReadonlyArray<string> =>
  [...after.values()]
    .filter(({ digest, name }) => before.get(name)?.digest !== digest)
    .map(({ name }) => name)
    .toSorted();

/** How many rows each table has more or fewer than before. */
export const growth = (before: Snapshot, after: Snapshot): Readonly<Record<string, number>> =>
  Object.fromEntries(
    [...after.values()]
      .map(({ name, rows }) => [name, rows - (before.get(name)?.rows ?? 0)] as const)
      .filter(([, more]) => more !== 0),
  );

/** Fails when anything changed. */
export const assertUnchanged = (before: Snapshot, why: string) =>
  Effect.map(takeSnapshot, (after) => assert.deepStrictEqual(changedTables(before, after), [], why));
