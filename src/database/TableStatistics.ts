import { Context, Effect, Layer } from "effect";
import { SqlClient } from "effect/sql";

/** Below so many pages it does not matter how a table is read, however often a statement does so. */
const smallPages = 4;

/**
 * Looks at tables that have more than doubled since PostgreSQL last looked. Its own autovacuum does so within a minute or two; until
 * then every plan that was made while a table was small stays, and a request that wants ten rows reads the million that a send has
 * just written.
 */
export class TableStatistics extends Context.Service<TableStatistics>()("waypost/database/TableStatistics", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient;
    const grown = sql<{ readonly name: string }>`
      SELECT c.relname AS name FROM pg_class c
      WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind = 'r'
        AND pg_relation_size(c.oid) / current_setting('block_size')::int > 2 * c.relpages + ${smallPages}::int`;
    return {
      /** Makes PostgreSQL look at them; gives their names. One that is locked is left for the next time. */
      look: Effect.orDie(
        Effect.gen(function* () {
          const names = (yield* grown).map(({ name }) => name);
          for (const name of names) yield* sql`ANALYZE (SKIP_LOCKED) ${sql(name)}`.unprepared;
          return names;
        }),
      ),
    };
  }),
}) {
  static readonly layer = Layer.effect(TableStatistics, TableStatistics.make);
}
