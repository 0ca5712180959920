import type { SqlClient, Statement } from "effect/sql";
import { unnested } from "../database/Rows.ts";
import type { Tenant } from "../workspaces/Workspace.ts";
import { percent, registeredDevices, reportConditions, type ReportScope } from "./ReportConditionsSql.ts";
import type { InteractionCounts, OutcomeCounts } from "./ReportCounts.ts";
import type { RowReportOf } from "./RowReportSql.ts";

/** Named queries of the matching notifications (`matching`) with their `status`. */
export const matchingNotifications = (
  sql: SqlClient.SqlClient,
  tenant: Tenant,
  scope: ReportScope,
): Statement.Fragment => {
  const { campaignStatus, mine, notificationMatches } = reportConditions(sql, tenant, scope);
  const byRank = sql.literal("ARRAY['active', 'scheduled', 'paused', 'ended']");
  return sql`
    used AS MATERIALIZED (
      SELECT notification_id AS id, (${byRank})[min(array_position(${byRank}, campaign_status))] AS status
      FROM campaign_notification
      JOIN (SELECT id AS campaign_id, ${campaignStatus} AS campaign_status FROM campaign
      WHERE ${mine}) AS campaign
        USING (campaign_id)
      WHERE ${mine} GROUP BY notification_id),
    matching AS (
      SELECT id, key, name, type, COALESCE(status, 'unused') AS status
      FROM (SELECT id, key, name, type FROM notification WHERE ${notificationMatches}) AS notification
      LEFT JOIN used USING (id))`;
};

/** The notification report: a row for each matching notification. */
export const notificationReport: RowReportOf<OutcomeCounts> = (sql, tenant, scope, counts) => {
  const counted = unnested("counted", counts, {
    key: ["int4", ({ key }) => key],
    sent: ["int8", ({ delivered, failed }) => BigInt(delivered + failed)],
    delivered: ["int8", ({ delivered }) => BigInt(delivered)],
    reached: ["int8", ({ reached }) => BigInt(reached)],
  });
  return {
    queries: sql`
      ${matchingNotifications(sql, tenant, scope)},
      outcome_count AS MATERIALIZED (SELECT * FROM ${counted}),
      registered AS (${registeredDevices(sql, tenant)})`,
    rows: sql`
      SELECT id, name, status, type, COALESCE(sent, 0) AS sent, COALESCE(delivered, 0) AS delivered,
        ${percent(sql, "COALESCE(reached, 0)", "devices")} AS reach
      FROM matching LEFT JOIN outcome_count USING (key), registered`,
    order: { figure: "delivered", name: "name" },
  };
};

/** The counts of interactions as a table, `counted`. */
export const interactionCounts = (counts: ReadonlyArray<InteractionCounts>): Statement.Fragment =>
  unnested("counted", counts, {
    key: ["int4", ({ key }) => key],
    delivered: ["int8", ({ delivered }) => BigInt(delivered)],
    opened: ["int8", ({ opened }) => BigInt(opened)],
    clicked: ["int8", ({ clicked }) => BigInt(clicked)],
  });

/** The interaction report: a row for each matching notification (contract M2). */
export const interactionReport: RowReportOf<InteractionCounts> = (sql, tenant, scope, counts) => {
  const rate = (part: string) => percent(sql, `COALESCE(${part}, 0)`, "COALESCE(delivered, 0)");
  return {
    queries: sql`
      ${matchingNotifications(sql, tenant, scope)},
      interaction_count AS MATERIALIZED (SELECT * FROM ${interactionCounts(counts)})`,
    rows: sql`
      SELECT id, name, status, type, COALESCE(delivered, 0) AS delivered, COALESCE(opened, 0) AS opened,
        COALESCE(clicked, 0) AS clicked, ${rate("opened")} AS open_rate, ${rate("clicked")} AS click_rate
      FROM matching LEFT JOIN interaction_count USING (key)`,
    order: { figure: "delivered", name: "name" },
  };
};
