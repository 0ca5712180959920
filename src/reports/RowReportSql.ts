import type { SqlClient, Statement } from "effect/sql";
import type { Tenant } from "../workspaces/Workspace.ts";
import type { ReportScope } from "./ReportConditionsSql.ts";

/** A report of rows. Its rows have a `status`, a `name` (for surveys a `survey_name`) and an `id`. */
export interface RowReport {
  /** Named queries (`name AS (…)`) that `rows` reads. */
  readonly queries: Statement.Fragment;
  /** A query of the rows with all their columns, in the order of the JSON fields; without a `WHERE`. */
  readonly rows: Statement.Fragment;
  /**
   * By which columns rows are ordered: figures descending, then the name, then the last ones, the id if
   * left out. Trusted text, not a value.
   */
  readonly order: { readonly figure: string; readonly name: string; readonly last?: "id, variant" };
}

/** Makes a report of rows from what was counted. */
export type RowReportOf<Counts> = (
  sql: SqlClient.SqlClient,
  tenant: Tenant,
  scope: ReportScope,
  counts: ReadonlyArray<Counts>,
) => RowReport;

/**
 * The statement of a report: its rows as JSON text, those with the status, or all of them for null. The order
 * is the highest figure first, then name, then id (contract K3, K7).
 */
export const rowReport = (
  sql: SqlClient.SqlClient,
  { order, queries, rows }: RowReport,
  status: string | null,
): Statement.Fragment => sql`
  WITH ${queries},
  report AS (${rows} WHERE ${status}::text IS NULL OR status = ${status})
  SELECT COALESCE(json_agg(report
    ORDER BY ${sql.literal(order.figure)} DESC, ${sql.literal(order.name)} COLLATE "C",
      ${sql.literal(order.last ?? "id")}),
      '[]')::text AS data
  FROM report`;
