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
const receivedSql = (
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

/**
 * SQL expression for the used part of a cap; 0 without a cap. `alias` names a row of `receivedSql` that also
 * has `cap_count` and `cap_since`. It counts deliveries that were made since the cap's period began:
 * delivered, held or still being sent (contract X30), and of a past occasion those `before` it.
 */
export const usedCapSql = (
  sql: SqlClient.SqlClient,
  alias: string,
  before: Statement.Fragment = sql`true`,
): Statement.Fragment => {
  const column = (name: string) => sql(`${alias}.${name}`);
  return sql`CASE WHEN ${column("cap_count")} IS NULL THEN 0 ELSE ${receivedSql(
    sql,
    alias,
    sql`d.created_at >= ${column("cap_since")} AND ${before}`,
    sql`${column("cap_count")}`,
  )} END`;
};

/**
 * SQL expression: a `value` of `receivedSql` on the latest delivery of the campaign at the location that is
 * younger than the cooldown. `alias` names a row of `receivedSql` that also has `location_key` and
 * `cooldown_since`, null for no cooldown; `before` is a condition as for `usedCapSql`.
 */
export const cooledSql = (
  sql: SqlClient.SqlClient,
  alias: string,
  value: Statement.Fragment,
  before: Statement.Fragment = sql`true`,
): Statement.Fragment => {
  const column = (name: string) => sql(`${alias}.${name}`);
  const isYounger = sql`d.location_key = ${column("location_key")}
    AND d.created_at > ${column("cooldown_since")} AND ${before}`;
  return receivedSql(sql, alias, isYounger, sql`1`, value);
};

/** SQL condition: there is such a delivery; false without a cooldown. */
export const isCoolingSql = (
  sql: SqlClient.SqlClient,
  alias: string,
): Statement.Fragment => sql`CASE WHEN ${sql(`${alias}.cooldown_since`)} IS NULL THEN false
  ELSE ${cooledSql(sql, alias, sql`count(*)`)} > 0 END`;
