import type { SqlClient, Statement } from "effect/sql";
import { instant } from "../database/Rows.ts";

/**
 * The SQL twin of `campaignStatus`: a text expression over the `starts_at`, `ends_at` and `paused` columns of the
 * campaign table under the given alias, as of an instant in epoch milliseconds. A rule, not a statement, so every slice may
 * read it.
 */
export const statusSql = (sql: SqlClient.SqlClient, now: number, alias: string): Statement.Fragment => {
  const column = (name: string) => sql(`${alias}.${name}`);
  return sql`CASE
    WHEN ${column("ends_at")} < ${instant(now)} THEN 'ended'
    WHEN ${column("paused")} THEN 'paused'
    WHEN ${column("starts_at")} > ${instant(now)} THEN 'scheduled'
    ELSE 'active' END`;
};
