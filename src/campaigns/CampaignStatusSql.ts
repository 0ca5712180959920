import type { SqlClient, Statement } from "effect/sql";
import { instant } from "../database/Rows.ts";

/**
 * `campaignStatus` as an SQL expression over the columns `starts_at`, `ends_at` and `paused` of the campaign
 * table under an alias, at an instant in epoch milliseconds. It is a rule, not a statement, so every slice
 * may import it.
 */
export const statusSql = (sql: SqlClient.SqlClient, now: number, alias: string): Statement.Fragment => {
  const column = (name: string) => sql(`${alias}.${name}`);
  return sql`CASE
    WHEN ${column("ends_at")} < ${instant(now)} THEN 'ended'
    WHEN ${column("paused")} THEN 'paused'
    WHEN ${column("starts_at")} > ${instant(now)} THEN 'scheduled'
    ELSE 'active' END`;
};
