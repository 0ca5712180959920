import type { SqlClient, Statement } from "effect/sql";
import type { OneWorkspace } from "../../database/WorkspaceGroups.ts";
import { receivedSql } from "./ReceiverSql.ts";

/** On the latest delivery of the campaign at the location that is younger than the cooldown. */
const coolingSql = (
  sql: SqlClient.SqlClient,
  workspaceId: OneWorkspace,
  alias: string,
  value?: Statement.Fragment,
): Statement.Fragment => {
  const column = (name: string) => sql(`${alias}.${name}`);
  const isYounger = sql`d.location_key = ${column("location_key")} AND d.created_at > ${column("cooldown_since")}`;
  return receivedSql(sql, workspaceId, alias, isYounger, sql`1`, value);
};

/**
 * SQL condition: a delivery of the campaign at the location is younger than the cooldown; false without a
 * cooldown. `alias` names a row of `receivedSql` that also has `location_key` and `cooldown_since`.
 */
export const isCoolingSql = (
  sql: SqlClient.SqlClient,
  workspaceId: OneWorkspace,
  alias: string,
): Statement.Fragment =>
  sql`CASE WHEN ${sql(`${alias}.cooldown_since`)} IS NULL THEN false
    ELSE ${coolingSql(sql, workspaceId, alias)} > 0 END`;

/** SQL expression: when the cooldown of the same row began; null if it is over, or there is none. */
export const cooledAtSql = (
  sql: SqlClient.SqlClient,
  workspaceId: OneWorkspace,
  alias: string,
): Statement.Fragment => coolingSql(sql, workspaceId, alias, sql`max(counted.created_at)`);
