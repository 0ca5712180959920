import { Effect } from "effect";
import type { SqlClient, SqlError } from "effect/sql";
import { ifDistributed } from "./IsDistributed.ts";

/**
 * The distributed tables with a shard that `hasGrown`, a condition on the OID `s.oid` and the row `c` of
 * pg_class. A table of the coordinator is empty if it is distributed. Sizes are read of shards only: they
 * open the table.
 */
export const grownDistributedTables = (
  sql: SqlClient.SqlClient,
  hasGrown: string,
): Effect.Effect<ReadonlyArray<{ readonly name: string }>, SqlError.SqlError> => {
  const grownShards = `
    SELECT json_agg(DISTINCT s.name) FROM (
      SELECT logicalrelid::text AS name, to_regclass(shard_name(logicalrelid, shardid)) AS oid
      FROM pg_dist_shard OFFSET 0
    ) AS s JOIN pg_class c USING (oid) WHERE ${hasGrown}`;
  return ifDistributed(
    sql,
    () => sql`
      SELECT DISTINCT json_array_elements_text(result::json) AS name
      FROM run_command_on_workers(${grownShards}) WHERE success AND result <> ''`,
    () => Effect.succeed([]),
  );
};
