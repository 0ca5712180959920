import type { SqlClient, Statement } from "effect/sql";

/**
 * SQL condition: a delivery of the campaign to the device at the location is younger than the cooldown; false
 * without a cooldown. `alias` names a row with `workspace_id`, `environment`, `device_key`, `campaign_key`,
 * `location_key` and `cooldown_since`.
 *
 * Failed deliveries do not count (contract X30). The ORDER BY keeps the planner on the index by device, also
 * while its statistics still show an empty table.
 */
export const isCoolingSql = (sql: SqlClient.SqlClient, alias: string): Statement.Fragment => {
  const column = (name: string) => sql(`${alias}.${name}`);
  return sql`CASE WHEN ${column("cooldown_since")} IS NULL THEN false ELSE (
    SELECT count(*) FROM (
      SELECT FROM delivery d
      WHERE d.workspace_id = ${column("workspace_id")} AND d.environment = ${column("environment")}
        AND d.device_key = ${column("device_key")} AND d.campaign_key = ${column("campaign_key")}
        AND d.location_key = ${column("location_key")} AND d.created_at > ${column("cooldown_since")}
        AND d.status <> 'failed'
      ORDER BY d.created_at DESC LIMIT 1
    ) AS counted
  ) > 0 END`;
};
