import type { Effect } from "effect";
import type { SqlClient } from "effect/sql";
import { instant } from "./Rows.ts";
import { columnValues } from "./Statements.ts";
import { overWorkspaces } from "./WorkspaceGroups.ts";

/** Rows that are due at an instant: trusted names and SQL, with an index of (workspace_id, at). */
export interface DueRows {
  readonly table: string;
  readonly at: string;
  /** The condition of the index. */
  readonly condition: string;
}

/**
 * The workspaces that have due rows, the longest due first: one step of the index for each with any row,
 * however many it has. There is no recursion over several nodes: each checks its own workspaces there.
 */
export const dueWorkspaces = (
  sql: SqlClient.SqlClient,
  { at, condition, table }: DueRows,
  now: number,
): Effect.Effect<ReadonlyArray<number>> => {
  const first = (workspaces: string) =>
    sql.literal(`SELECT r.workspace_id, r.${at} AS at FROM ${table} r WHERE r.${condition} ${workspaces}
      ORDER BY r.workspace_id, r.${at} LIMIT 1`);
  const found = sql`SELECT workspace_id AS id FROM found WHERE at <= ${instant(now)} ORDER BY at`;
  const rows = overWorkspaces(
    sql,
    () => sql<{ readonly id: number }>`
      WITH RECURSIVE found AS (
        (${first("")})
        UNION ALL
        SELECT n.* FROM found l CROSS JOIN LATERAL (${first("AND r.workspace_id > l.workspace_id")}) AS n
      ) ${found}`,
    () => sql`
      WITH found AS (
        SELECT f.*
        FROM (SELECT workspace_id FROM rollup_state UNION SELECT workspace_id FROM device_delta) AS w
        CROSS JOIN LATERAL (${first("AND r.workspace_id = w.workspace_id")}) AS f
      ) ${found}`,
  );
  return columnValues(rows);
};
