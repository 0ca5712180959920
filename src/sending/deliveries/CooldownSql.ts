import type { SqlClient, Statement } from "effect/sql";
import { receivedSql } from "./ReceiverSql.ts";

/**
 * SQL condition: a delivery of the campaign at the location is younger than the cooldown; false without a
 * cooldown. `alias` names a row of `receivedSql` that also has `location_key` and `cooldown_since`.
 */
export const isCoolingSql = (sql: SqlClient.SqlClient, alias: string): Statement.Fragment => {
  const column = (name: string) => sql(`${alias}.${name}`);
  return sql`CASE WHEN ${column("cooldown_since")} IS NULL THEN false ELSE ${receivedSql(
    sql,
    alias,
    sql`d.location_key = ${column("location_key")} AND d.created_at > ${column("cooldown_since")}`,
    sql`1`,
  )} > 0 END`;
};
