import { Effect } from "effect";
import { SqlClient } from "effect/sql";

/** Tables up to twice this many pages are fast to read without statistics. */
const smallTablePages = 4;

/**
 * Analyzes tables that have more than doubled since their last ANALYZE, and returns their names. Skips locked
 * tables. Autovacuum does the same after a minute or two. Until then, plans for a small table read all of the
 * million rows that a send has just written, to return ten.
 */
export const analyzeGrownTables = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient;
  const tables = yield* sql<{ readonly name: string }>`
    SELECT c.relname AS name FROM pg_class c
    WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind = 'r'
      AND pg_relation_size(c.oid) / current_setting('block_size')::int
        > 2 * c.relpages + ${smallTablePages}::int`;
  for (const { name } of tables) yield* sql`ANALYZE (SKIP_LOCKED) ${sql(name)}`.unprepared;
  return tables.map(({ name }) => name);
}).pipe(Effect.orDie);
