import type { SqlClient, Statement } from "effect/sql";

/**
 * SQL expression for the used part of a cap; 0 without a cap. `alias` names a row with `workspace_id`,
 * `environment`, `device_key`, `campaign_key`, `cap_count` and `cap_since`.
 *
 * It counts deliveries that reached the device since the cap's period began, and those still being sent;
 * failed ones and test sends do not count. A delivery takes at most an hour to settle, so it searches from
 * one day before the period. The ORDER BY keeps the planner on the index by device, also while its
 * statistics still show an empty table.
 */
export const usedCapSql = (sql: SqlClient.SqlClient, alias: string): Statement.Fragment => {
  const column = (name: string) => sql(`${alias}.${name}`);
  return sql`CASE WHEN ${column("cap_count")} IS NULL THEN 0 ELSE (
    SELECT count(*) FROM (
      SELECT FROM delivery d
      WHERE d.workspace_id = ${column("workspace_id")} AND d.environment = ${column("environment")}
        AND d.device_key = ${column("device_key")} AND d.campaign_key = ${column("campaign_key")}
        AND d.created_at >= ${column("cap_since")} - interval '1 day' AND NOT d.test
        AND (d.status IN ('queued', 'handed_over')
          OR (d.status = 'delivered' AND d.settled_at >= ${column("cap_since")}))
      ORDER BY d.created_at DESC LIMIT ${column("cap_count")}
    ) AS counted
  ) END`;
};
