import { Effect } from "effect";
import type { SqlClient } from "effect/sql";

/**
 * Whether the tables of devices are distributed by Citus: then Citus watches them by a trigger. It is asked
 * once; a database is distributed while no Waypost runs.
 */
export const isDistributed = (sql: SqlClient.SqlClient): Effect.Effect<Effect.Effect<boolean>> =>
  Effect.cached(
    Effect.orDie(
      Effect.map(
        sql`
          SELECT 1 FROM pg_trigger t JOIN pg_proc p ON p.oid = t.tgfoid
          WHERE t.tgrelid = 'device'::regclass AND p.proname = 'citus_truncate_trigger'`,
        (rows) => rows.length > 0,
      ),
    ),
  );
