import type { SqlClient, Statement } from "effect/sql";

/**
 * SQL condition: the text of a column (trusted SQL) has the part of a pattern of `searchPattern`. Nearly all
 * ids of devices and people are ASCII, whose folding is `lower`, many times as fast as `search_text`.
 */
export const hasPartSql = (sql: SqlClient.SqlClient, column: string, pattern: string): Statement.Fragment => {
  const text = sql.literal(column);
  return sql`CASE octet_length(${text})
    WHEN char_length(${text}) THEN lower(${text} COLLATE "C")
    ELSE search_text(${text}) END LIKE ${pattern}::text`;
};
