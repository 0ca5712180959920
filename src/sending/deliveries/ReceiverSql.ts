import type { SqlClient, Statement } from "effect/sql";
import { table, workspaceIs } from "../../database/WorkspaceGroups.ts";

/**
 * SQL expression on the latest deliveries of the campaign, up to `limit`, that the receiver of a row has:
 * their count, or another `value` of their `created_at`. `alias` names the row, with `workspace_id`,
 * `environment`, `device_key`, `shared_by` and `campaign_key`; `condition` selects among the deliveries `d`.
 * Failed ones and test sends do not count (contract X30, O4).
 *
 * The receiver is a person if `shared_by` is its key, whatever device a delivery was for; otherwise the
 * device. The ORDER BY keeps the planner on the index of the receiver, also while its statistics still
 * show an empty table.
 */
export const receivedSql = (
  sql: SqlClient.SqlClient,
  alias: string,
  condition: Statement.Fragment,
  limit: Statement.Fragment,
  value: Statement.Fragment = sql`count(*)`,
): Statement.Fragment => {
  const column = (name: string) => sql(`${alias}.${name}`);
  const received = (receiver: Statement.Fragment) => sql`(
    SELECT ${value} FROM (
      SELECT d.created_at FROM ${table.delivery} d
      WHERE ${workspaceIs("d", alias)} AND d.environment = ${column("environment")}
        AND ${receiver} AND d.campaign_key = ${column("campaign_key")} AND ${condition}
        AND d.status <> 'failed' AND NOT d.test
      ORDER BY d.created_at DESC LIMIT ${limit}
    ) AS counted
  )`;
  return sql`CASE WHEN ${column("shared_by")} IS NULL
    THEN ${received(sql`d.device_key = ${column("device_key")}`)}
    ELSE ${received(sql`d.user_key = ${column("shared_by")}`)} END`;
};
