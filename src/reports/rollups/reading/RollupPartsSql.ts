import type { SqlClient, Statement } from "effect/sql";
import { arrayOf } from "../../../database/Rows.ts";
import type { ReportScope } from "../../ReportConditionsSql.ts";
import type { RollupPart } from "../RollupKeys.ts";

const inPart = (sql: SqlClient.SqlClient, { first, last, span }: RollupPart): Statement.Fragment =>
  sql`span = ${span} AND starts_on >= ${first}::text::date AND starts_on <= ${last}::text::date`;

/** Whether a row of rollups is of a day of the range. */
export const isDayOf = (sql: SqlClient.SqlClient, { range }: ReportScope): Statement.Fragment =>
  inPart(sql, { span: "day", first: range.dates[0] ?? "", last: range.dates.at(-1) ?? "" });

/** Whether a row of rollups is of one of these days. */
export const isOneOf = (sql: SqlClient.SqlClient, dates: ReadonlyArray<string>): Statement.Fragment =>
  sql`span = 'day' AND starts_on = ANY(${arrayOf("text", dates)}::date[])`;

/** Rows of some parts of a range, for a `FROM`: a query each, which is a range of the primary key. */
export const rowsOfParts = (
  sql: SqlClient.SqlClient,
  parts: ReadonlyArray<RollupPart>,
  rows: (isInPart: Statement.Fragment) => Statement.Fragment,
): Statement.Fragment => {
  const [first = rows(sql`false`), ...rest] = parts.map((part) => rows(inPart(sql, part)));
  return sql`(${rest.reduce((before, query) => sql`${before} UNION ALL ${query}`, first)}) AS part`;
};
