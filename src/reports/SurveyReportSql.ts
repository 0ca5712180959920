import type { SqlClient } from "effect/sql";
import { instant } from "../database/Rows.ts";
import type { Tenant } from "../workspaces/Workspace.ts";
import { reportConditions, type ReportScope } from "./ReportConditionsSql.ts";
import type { RowReport } from "./RowReportSql.ts";

/**
 * The survey report: a row for each survey that is on a matching campaign with the trigger asked for
 * (contract K3, K9). Responses have no rollups: an index alone answers their count.
 */
export const surveyReport = (sql: SqlClient.SqlClient, tenant: Tenant, scope: ReportScope): RowReport => {
  const { filters, range } = scope;
  const { campaignMatches, campaignStatus, mine } = reportConditions(sql, tenant, scope);
  return {
    queries: sql`
      matching AS (
        SELECT id AS campaign_id, key AS campaign_key, name AS campaign_name, ${campaignStatus} AS status
        FROM campaign WHERE ${campaignMatches}),
      pairing AS (
        SELECT id, campaign_id, notification_id, trigger_type FROM campaign_notification
        WHERE ${mine} AND (${filters.activation}::text IS NULL OR trigger_type = ${filters.activation})),
      survey AS (
        SELECT id AS notification_id, key AS notification_key, name AS survey_name, content_key
        FROM notification
        WHERE ${mine} AND type = 'survey'
          AND (${filters.contentType}::text IS NULL OR type = ${filters.contentType})),
      asked AS (
        SELECT key AS content_key, jsonb_array_length(questions) AS questions FROM content WHERE ${mine}),
      response_count AS MATERIALIZED (
        SELECT campaign_key, notification_key, count(*) AS responses FROM survey_response
        WHERE ${mine}
          AND first_answered_at >= ${instant(range.fromMs)} AND first_answered_at < ${instant(range.toMs)}
        GROUP BY campaign_key, notification_key)`,
    rows: sql`
      SELECT id, campaign_id, campaign_name, notification_id AS survey_id, survey_name, trigger_type,
        questions, COALESCE(responses, 0) AS responses, status
      FROM pairing JOIN matching USING (campaign_id) JOIN survey USING (notification_id)
        JOIN asked USING (content_key) LEFT JOIN response_count USING (campaign_key, notification_key)`,
    order: { figure: "responses", name: "survey_name" },
  };
};
