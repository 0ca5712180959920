import type { SqlClient, Statement } from "effect/sql";

/**
 * How much of a cap is used up, as an expression over a row under the given alias that has `workspace_id`, `environment`,
 * `device_key`, `campaign_key`, `cap_count` and `cap_since`; 0 where there is no cap. What counts is what has reached the device
 * since the cap's period began, and what is on its way to it; a failed one has reached nobody. A delivery is on its way for at most
 * an hour, so a day before the period is far enough to look. The order is what keeps the planner on the index by device before
 * it has seen a full table.
 */
export const countedSql = (sql: SqlClient.SqlClient, alias: string): Statement.Fragment => {
  const of = (name: string) => sql(`${alias}.${name}`);
  return sql`CASE WHEN ${of("cap_count")} IS NULL THEN 0 ELSE (
    SELECT count(*) FROM (
      SELECT FROM delivery d
      WHERE d.workspace_id = ${of("workspace_id")} AND d.environment = ${of("environment")}
        AND d.device_key = ${of("device_key")} AND d.campaign_key = ${of("campaign_key")}
        AND d.created_at >= ${of("cap_since")} - interval '1 day'
        AND (d.status IN ('queued', 'handed_over')
          OR (d.status = 'delivered' AND d.settled_at >= ${of("cap_since")}))
      ORDER BY d.created_at DESC LIMIT ${of("cap_count")}
    ) AS reached
  ) END`;
};
