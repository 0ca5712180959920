import { Context, Effect, Layer } from "effect";
import { SqlClient } from "effect/sql";
import type { Tenant } from "../workspaces/Workspace.ts";
import { notificationCounts, type OutcomeFigures } from "./ReportCountsSql.ts";
import { reportFigures, type ReportScope } from "./ReportFiguresSql.ts";

/** The statement of the notification report. */
export class NotificationReportSql extends Context.Service<NotificationReportSql>()(
  "waypost/reports/NotificationReportSql",
  {
    make: Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient;
      const strongestFirst = sql.literal("ARRAY['active', 'scheduled', 'paused', 'ended']");

      return {
        /**
         * The report's rows as JSON text: the matching notifications that have the status now, or all for null. What it
         * counts is counted in base rows, unless it is there already.
         */
        data: (
          tenant: Tenant,
          scope: ReportScope,
          status: string | null,
          counted?: ReadonlyArray<OutcomeFigures>,
        ) => {
          const figures = reportFigures(sql, tenant, scope);
          return Effect.orDie(sql<{ readonly data: string }>`
            WITH
            used AS MATERIALIZED (
              SELECT notification_id AS id,
                     (${strongestFirst})[min(array_position(${strongestFirst}, campaign_status))] AS status
              FROM campaign_notification
              JOIN (SELECT id AS campaign_id, ${figures.campaignStatus} AS campaign_status
                    FROM campaign WHERE ${figures.mine}) AS campaign USING (campaign_id)
              WHERE ${figures.mine} GROUP BY notification_id),
            matching AS (
              SELECT id, key, name, type, COALESCE(status, 'unused') AS status
              FROM (SELECT id, key, name, type FROM notification WHERE ${figures.notificationMatches}) AS notification
              LEFT JOIN used USING (id)),
            outcome_count AS MATERIALIZED (${notificationCounts(sql, tenant, scope, counted)}),
            registered AS (${figures.registeredDevices}),
            report AS (
              SELECT id, name, status, type, COALESCE(sent, 0) AS sent, COALESCE(delivered, 0) AS delivered,
                     ${figures.percent("COALESCE(reached, 0)", "devices")} AS reach
              FROM matching LEFT JOIN outcome_count USING (key), registered
              WHERE ${status}::text IS NULL OR status = ${status})
            SELECT COALESCE(json_agg(report ORDER BY delivered DESC, name COLLATE "C", id), '[]')::text AS data
            FROM report`);
        },
      };
    }),
  },
) {
  static readonly layer = Layer.effect(NotificationReportSql, NotificationReportSql.make);
}
