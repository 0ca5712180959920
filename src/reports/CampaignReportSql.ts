import { Context, Effect, Layer } from "effect";
import { SqlClient } from "effect/sql";
import type { Tenant } from "../workspaces/Workspace.ts";
import { campaignCounts, type OutcomeFigures } from "./ReportCountsSql.ts";
import { reportFigures, type ReportScope } from "./ReportFiguresSql.ts";

/** The statement of the campaign report. */
export class CampaignReportSql extends Context.Service<CampaignReportSql>()(
  "waypost/reports/CampaignReportSql",
  {
    make: Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient;

      return {
        /**
         * The report's rows as JSON text: the matching campaigns that have the status now, or all of them for null. What it
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
            matching AS (
              SELECT id, key, name, type, ${figures.campaignStatus} AS status
              FROM campaign WHERE ${figures.campaignMatches}),
            target_count AS MATERIALIZED (
              SELECT campaign_id AS id, count(*) AS targets FROM ${figures.targeted} GROUP BY campaign_id),
            delivery_count AS MATERIALIZED (${campaignCounts(sql, tenant, scope, counted)}),
            registered AS (${figures.registeredDevices}),
            report AS (
              SELECT id, name, status, type, COALESCE(targets, 0) AS targets, COALESCE(delivered, 0) AS delivered,
                     ${figures.percent("COALESCE(reached, 0)", "devices")} AS engagement
              FROM matching LEFT JOIN target_count USING (id) LEFT JOIN delivery_count USING (key), registered
              WHERE ${status}::text IS NULL OR status = ${status})
            SELECT COALESCE(json_agg(report ORDER BY delivered DESC, name COLLATE "C", id), '[]')::text AS data
            FROM report`);
        },
      };
    }),
  },
) {
  static readonly layer = Layer.effect(CampaignReportSql, CampaignReportSql.make);
}
