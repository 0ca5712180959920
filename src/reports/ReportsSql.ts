import type { Statement } from "effect/sql";
import { SqlService } from "../database/SqlService.ts";
import { onlyValue } from "../database/Statements.ts";
import type { Tenant } from "../workspaces/Workspace.ts";
import { campaignReport } from "./CampaignReportSql.ts";
import { locationReport } from "./LocationReportSql.ts";
import { interactionReport, notificationReport } from "./NotificationReportSql.ts";
import type { ReportScope } from "./ReportConditionsSql.ts";
import type { SummaryCounts } from "./ReportCounts.ts";
import { rowReport, type RowReportOf } from "./RowReportSql.ts";
import { summaryReport } from "./SummaryReportSql.ts";
import { surveyReport } from "./SurveyReportSql.ts";
import { variantReport } from "./VariantReportSql.ts";

/** The statements of the reports. Each answers the report's `data` as JSON text. */
export class ReportsSql extends SqlService<ReportsSql>("waypost/reports/ReportsSql")((sql) => {
  const dataOf = (statement: Statement.Fragment) =>
    onlyValue(sql<{ readonly data: string }>`/* rows of a report */ ${statement}`);
  /** A report of rows: those with the status, or all of them for null. */
  const rows =
    <Counts>(report: RowReportOf<Counts>) =>
    (tenant: Tenant, scope: ReportScope, counts: ReadonlyArray<Counts>, status: string | null) =>
      dataOf(rowReport(sql, report(sql, tenant, scope, counts), status));

  return {
    summary: (tenant: Tenant, scope: ReportScope, counts: SummaryCounts) =>
      dataOf(summaryReport(sql, tenant, scope, counts)),
    campaigns: rows(campaignReport),
    locations: rows(locationReport),
    notifications: rows(notificationReport),
    interactions: rows(interactionReport),
    variants: rows(variantReport),
    surveys: rows(surveyReport),
  };
}) {}
