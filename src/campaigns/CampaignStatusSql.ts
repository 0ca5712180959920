import type { SqlClient, Statement } from "effect/sql";

/**
 * The SQL twin of `campaignStatus`: a text expression over the `starts_at`, `ends_at` and `paused` columns of the
 * campaign table under the given alias.
 */
export const statusSql = (sql: SqlClient.SqlClient, now: Date, alias: string): Statement.Fragment => {
  const column = (name: string) => sql(`${alias}.${name}`);
  return sql`CASE
    WHEN ${column("ends_at")} < ${now} THEN 'ended'
    WHEN ${column("paused")} THEN 'paused'
    WHEN ${column("starts_at")} > ${now} THEN 'scheduled'
    ELSE 'active' END`;
};
