import { Effect } from "effect";
import type { SqlClient } from "effect/sql";

const known = new WeakMap<SqlClient.SqlClient, boolean>();

/** Has a client write statements as for a distributed database, on one that is none. For tests. */
export const assumeDistributed = (sql: SqlClient.SqlClient): void => void known.set(sql, true);

const question = `
  SELECT 1 FROM pg_trigger t JOIN pg_proc p ON p.oid = t.tgfoid
  WHERE t.tgrelid = to_regclass('device') AND p.proname = 'citus_truncate_trigger'`;

/**
 * Runs `several` if the tables of devices are distributed by Citus, which then watches them by a trigger, and
 * `one` otherwise. The database is asked once for a client: it is distributed while no Waypost runs. `ask`
 * runs a statement and gives its rows.
 */
export const ifDistributedBy = <A, E, E2, R, R2>(
  sql: SqlClient.SqlClient,
  ask: (statement: string) => Effect.Effect<ReadonlyArray<unknown>, E2>,
  several: () => Effect.Effect<A, E, R>,
  one: () => Effect.Effect<A, E, R2>,
): Effect.Effect<A, E | E2, R | R2> => {
  const answer = known.get(sql);
  if (answer !== undefined) return answer ? several() : one();
  return Effect.flatMap(ask(question), (rows): Effect.Effect<A, E, R | R2> => {
    if (!known.has(sql)) known.set(sql, rows.length > 0);
    return known.get(sql) === true ? several() : one();
  });
};

/** As `ifDistributedBy`, by the client itself. */
export const ifDistributed = <A, E, R, R2>(
  sql: SqlClient.SqlClient,
  several: () => Effect.Effect<A, E, R>,
  one: () => Effect.Effect<A, E, R2>,
): Effect.Effect<A, E, R | R2> =>
  ifDistributedBy(sql, (statement) => Effect.orDie(sql.unsafe(statement)), several, one);

/** Why a client has no snapshot of one moment while others write; null if it has one. */
export const snapshotObstacle = (sql: SqlClient.SqlClient): Effect.Effect<string | null> =>
  ifDistributed<string | null, never, never, never>(
    sql,
    () => Effect.succeed("Citus has no snapshot of one moment over all nodes"),
    () => Effect.succeed(null),
  );
