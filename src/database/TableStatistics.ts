import { Effect } from "effect";
import { SqlClient } from "effect/sql";
import { grownDistributedTables } from "./SeveralNodes.ts";

/** Tables up to twice this many pages are fast to read without statistics. */
const smallTablePages = 4;

/** Condition: the table of this OID, `c` in pg_class, has more than doubled since its last ANALYZE. */
const hasGrown = (oid: "c.oid" | "s.oid") =>
  `pg_relation_size(${oid}) / current_setting('block_size')::int > 2 * c.relpages + ${smallTablePages}`;

/**
 * Analyzes tables that have more than doubled since their last ANALYZE, and returns their names. Skips locked
 * tables and those without a committed row. Autovacuum does the same after a minute or two. Until then, plans
 * for a small table read all of the million rows that a send has just written, to return ten.
 */
export const analyzeGrownTables = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient;
  const tables = yield* sql<{ readonly name: string }>`
    SELECT c.relname AS name FROM pg_class c
    WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind = 'r'
      AND ${sql.literal(hasGrown("c.oid"))}`;
  const distributed = yield* grownDistributedTables(sql, hasGrown("s.oid"));
  const analyzed: Array<string> = [];
  for (const { name } of [...tables, ...distributed]) {
    // The first rows of a table may not be committed yet. ANALYZE would count none in all their pages, and
    // the transaction that writes them would then scan an index once a row: 20 seconds for an import.
    const rows = yield* sql`SELECT FROM ${sql(name)} LIMIT 1`.unprepared;
    if (rows.length === 0) continue;
    yield* sql`ANALYZE (SKIP_LOCKED) ${sql(name)}`.unprepared;
    analyzed.push(name);
  }
  return analyzed;
}).pipe(Effect.orDie);
