import type { SqlClient, Statement } from "effect/sql";
import { receivedSql } from "./ReceiverSql.ts";

/**
 * SQL expression: a `value` of `receivedSql` on the latest delivery of the campaign at the location that is
 * younger than the cooldown. `alias` names a row of `receivedSql` that also has `location_key` and
 * `cooldown_since`, null for no cooldown.
 */
export const cooledSql = (
  sql: SqlClient.SqlClient,
  alias: string,
  value: Statement.Fragment,
): Statement.Fragment => {
  const column = (name: string) => sql(`${alias}.${name}`);
  const isYounger = sql`d.location_key = ${column("location_key")}
    AND d.created_at > ${column("cooldown_since")}`;
  return receivedSql(sql, alias, isYounger, sql`1`, value);
};

/** SQL condition: there is such a delivery; false without a cooldown. */
export const isCoolingSql = (
  sql: SqlClient.SqlClient,
  alias: string,
): Statement.Fragment => sql`CASE WHEN ${sql(`${alias}.cooldown_since`)} IS NULL THEN false
  ELSE ${cooledSql(sql, alias, sql`count(*)`)} > 0 END`;
