import { unnested } from "../database/Rows.ts";
import { reportConditions } from "./ReportConditionsSql.ts";
import type { ResponseCounts } from "./ReportCounts.ts";
import type { RowReportOf } from "./RowReportSql.ts";

/**
 * The survey report: a row for each survey that is on a matching campaign with the trigger asked for
 * (contract K3, K9).
 */
export const surveyReport: RowReportOf<ResponseCounts> = (sql, tenant, scope, counts) => {
  const { filters } = scope;
  const counted = unnested("counted", counts, {
    campaign_key: ["int4", ({ campaignKey }) => campaignKey],
    notification_key: ["int4", ({ notificationKey }) => notificationKey],
    responses: ["int8", ({ responses }) => BigInt(responses)],
  });
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
      response_count AS MATERIALIZED (SELECT campaign_key, notification_key, responses FROM ${counted})`,
    rows: sql`
      SELECT id, campaign_id, campaign_name, notification_id AS survey_id, survey_name, trigger_type,
        questions, COALESCE(responses, 0) AS responses, status
      FROM pairing JOIN matching USING (campaign_id) JOIN survey USING (notification_id)
        JOIN asked USING (content_key) LEFT JOIN response_count USING (campaign_key, notification_key)`,
    order: { figure: "responses", name: "survey_name" },
  };
};
