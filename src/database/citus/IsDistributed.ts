import { Context, Effect } from "effect";
import type { SqlClient } from "effect/sql";

/** Writes statements as for a distributed database on one that is none. For tests. */
export const AssumeDistributed = Context.Reference("waypost/database/AssumeDistributed", {
  defaultValue: () => false,
});

const known = new WeakMap<SqlClient.SqlClient, boolean>();

const question = `
  SELECT 1 FROM pg_trigger t JOIN pg_proc p ON p.oid = t.tgfoid
  WHERE t.tgrelid = to_regclass('device') AND p.proname = 'citus_truncate_trigger'`;

/** `isDistributed`, with the effect that asks the database by a statement, and gives its rows. */
export const isDistributedBy = <E>(
  sql: SqlClient.SqlClient,
  ask: (statement: string) => Effect.Effect<ReadonlyArray<unknown>, E>,
): Effect.Effect<boolean, E> =>
  Effect.flatMap(AssumeDistributed, (isAssumed) => {
    const answer = known.get(sql);
    if (isAssumed || answer !== undefined) return Effect.succeed(isAssumed || answer === true);
    return Effect.map(ask(question), (rows) => {
      known.set(sql, rows.length > 0);
      return rows.length > 0;
    });
  });

/**
 * Whether the tables of devices are distributed by Citus: then Citus watches them by a trigger. It is asked
 * once for a client; a database is distributed while no Waypost runs.
 */
export const isDistributed = (sql: SqlClient.SqlClient): Effect.Effect<boolean> =>
  Effect.orDie(isDistributedBy(sql, (statement) => sql.unsafe(statement)));
