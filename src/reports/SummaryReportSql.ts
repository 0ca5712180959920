import { Context, Effect, Layer } from "effect";
import { SqlClient } from "effect/sql";
import { arrayOf } from "../database/Rows.ts";
import type { Tenant } from "../workspaces/Workspace.ts";
import { summaryCounts, type SummaryFigures } from "./ReportCountsSql.ts";
import { reportFigures, type ReportScope } from "./ReportFiguresSql.ts";

/** The statement of the summary report. */
export class SummaryReportSql extends Context.Service<SummaryReportSql>()(
  "waypost/reports/SummaryReportSql",
  {
    make: Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient;

      return {
        /** The report's `data` as JSON text, all of one snapshot; what it counts comes from base rows, unless it is there. */
        data: (tenant: Tenant, scope: ReportScope, counted?: SummaryFigures) => {
          const figures = reportFigures(sql, tenant, scope);
          const { deliveryDay, eventDay } = summaryCounts(sql, tenant, scope, counted);
          return Effect.orDie(sql<{ readonly data: string }>`
            WITH
            delivery_day AS MATERIALIZED (${deliveryDay}),
            event_day AS MATERIALIZED (${eventDay}),
            campaigns AS (
              SELECT count(*) AS campaigns, count(*) FILTER (WHERE status = 'active') AS active
              FROM (
                SELECT ${figures.campaignStatus} AS status
                FROM campaign WHERE ${figures.campaignMatches}) AS matching),
            registered AS (${figures.registeredDevices})
            SELECT json_build_object(
              'totals', json_build_object(
                'delivered', delivered,
                'devices_reached', devices_reached,
                'geofence_entries', entries,
                'geofence_exits', exits,
                'campaigns', campaigns,
                'active_campaigns', active,
                'registered_devices', devices),
              'daily', (
                SELECT json_agg(json_build_object(
                    'date', date,
                    'delivered', COALESCE(delivered, 0),
                    'devices_reached', COALESCE(devices_reached, 0),
                    'geofence_entries', COALESCE(entries, 0),
                    'geofence_exits', COALESCE(exits, 0)) ORDER BY day)
                FROM unnest(${arrayOf("text", scope.range.dates)}) WITH ORDINALITY AS days (date, day)
                LEFT JOIN delivery_day USING (day) LEFT JOIN event_day USING (day)))::text AS data
            FROM delivery_day JOIN event_day USING (day), campaigns, registered
            WHERE day = 0`);
        },
      };
    }),
  },
) {
  static readonly layer = Layer.effect(SummaryReportSql, SummaryReportSql.make);
}
