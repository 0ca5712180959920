import { unnested } from "../database/Rows.ts";
import { percent, registeredDevices, reportConditions } from "./ReportConditionsSql.ts";
import type { OutcomeCounts } from "./ReportCounts.ts";
import type { RowReportOf } from "./RowReportSql.ts";

/** The campaign report: a row for each matching campaign. */
export const campaignReport: RowReportOf<OutcomeCounts> = (sql, tenant, scope, counts) => {
  const { campaignMatches, campaignStatus, targeted } = reportConditions(sql, tenant, scope);
  const counted = unnested("counted", counts, {
    key: ["int4", ({ key }) => key],
    delivered: ["int8", ({ delivered }) => BigInt(delivered)],
    reached: ["int8", ({ reached }) => BigInt(reached)],
  });
  return {
    queries: sql`
      matching AS (SELECT id, key, name, type, ${campaignStatus} AS status FROM campaign
      WHERE ${campaignMatches}), target_count AS MATERIALIZED (
        SELECT campaign_id AS id, count(*) AS targets FROM ${targeted} GROUP BY campaign_id),
      delivery_count AS MATERIALIZED (SELECT * FROM ${counted}),
      registered AS (${registeredDevices(sql, tenant)})`,
    rows: sql`
      SELECT id, name, status, type, COALESCE(targets, 0) AS targets, COALESCE(delivered, 0) AS delivered,
        ${percent(sql, "COALESCE(reached, 0)", "devices")} AS engagement
      FROM matching LEFT JOIN target_count USING (id) LEFT JOIN delivery_count USING (key), registered`,
    order: { figure: "delivered", name: "name" },
  };
};
