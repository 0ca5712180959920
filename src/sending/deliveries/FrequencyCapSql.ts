import type { SqlClient, Statement } from "effect/sql";
import { receivedSql } from "./ReceiverSql.ts";

/**
 * SQL expression for the used part of a cap; 0 without a cap. `alias` names a row of `receivedSql` that also
 * has `cap_count` and `cap_since`. It counts deliveries that were made since the cap's period began:
 * delivered, held or still being sent (contract X30).
 */
export const usedCapSql = (sql: SqlClient.SqlClient, alias: string): Statement.Fragment => {
  const column = (name: string) => sql(`${alias}.${name}`);
  return sql`CASE WHEN ${column("cap_count")} IS NULL THEN 0 ELSE ${receivedSql(
    sql,
    alias,
    sql`d.created_at >= ${column("cap_since")}`,
    sql`${column("cap_count")}`,
  )} END`;
};
