import { Context, Effect } from "effect";
import type { SqlClient } from "effect/sql";

/** Writes statements as for a distributed database on one that is none. For tests. */
export const AssumeDistributed = Context.Reference("waypost/database/AssumeDistributed", {
  defaultValue: () => false,
});

const known = new WeakMap<SqlClient.SqlClient, boolean>();

/**
 * Whether the tables of devices are distributed by Citus: then Citus watches them by a trigger. It is asked
 * once for a client; a database is distributed while no Waypost runs.
 */
export const isDistributed = (sql: SqlClient.SqlClient): Effect.Effect<boolean> =>
  Effect.flatMap(AssumeDistributed, (isAssumed) => {
    const answer = known.get(sql);
    if (isAssumed || answer !== undefined) return Effect.succeed(isAssumed || answer === true);
    return Effect.orDie(
      Effect.map(
        sql`
          SELECT 1 FROM pg_trigger t JOIN pg_proc p ON p.oid = t.tgfoid
          WHERE t.tgrelid = to_regclass('device') AND p.proname = 'citus_truncate_trigger'`,
        (rows) => {
          known.set(sql, rows.length > 0);
          return rows.length > 0;
        },
      ),
    );
  });

/**
 * Makes a transaction that has written plain tables commit in two phases, if the database is distributed: its
 * shards are prepared before the coordinator commits, so that a crash between leaves both or neither. A
 * transaction that wrote shards alone needs that only if they are on several nodes, which Citus sees itself.
 */
export const committedInTwoPhases = <A, E, R>(
  sql: SqlClient.SqlClient,
  effect: Effect.Effect<A, E, R>,
): Effect.Effect<A, E, R> =>
  Effect.tap(effect, () =>
    Effect.flatMap(isDistributed(sql), (isSpread) =>
      isSpread
        ? Effect.orDie(
            Effect.flatMap(sql`SELECT 1 WHERE pg_current_xact_id_if_assigned() IS NOT NULL`, (written) =>
              written.length === 0 ? Effect.void : Effect.asVoid(sql`DELETE FROM two_phase WHERE id = 1`),
            ),
          )
        : Effect.void,
    ),
  );
