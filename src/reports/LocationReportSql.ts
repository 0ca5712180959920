import { Context, Effect, Layer } from "effect";
import { SqlClient } from "effect/sql";
import type { Tenant } from "../workspaces/Workspace.ts";
import { locationCounts, type VisitFigures } from "./ReportCountsSql.ts";
import { reportFigures, type ReportScope } from "./ReportFiguresSql.ts";

/** The statement of the location report. */
export class LocationReportSql extends Context.Service<LocationReportSql>()(
  "waypost/reports/LocationReportSql",
  {
    make: Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient;

      return {
        /**
         * The report's rows as JSON text: the matching locations that have the status now, or all of them for null. What it
         * counts is counted in base rows, unless it is there already.
         */
        data: (
          tenant: Tenant,
          scope: ReportScope,
          status: string | null,
          counted?: ReadonlyArray<VisitFigures>,
        ) => {
          const figures = reportFigures(sql, tenant, scope);
          return Effect.orDie(sql<{ readonly data: string }>`
            WITH
            active AS MATERIALIZED (
              SELECT id AS campaign_id FROM campaign WHERE ${figures.mine} AND ${figures.campaignStatus} = 'active'),
            -- As pairs of campaign and location they would be many times as many.
            targeted_now AS MATERIALIZED (
              SELECT location_id AS id, 'active' AS status FROM campaign_location
              WHERE ${figures.mine} AND campaign_id IN (SELECT campaign_id FROM active)
              UNION
              SELECT location_id, 'active' FROM location_group_member
              WHERE ${figures.mine} AND group_id IN (
                SELECT group_id FROM campaign_location_group
                WHERE ${figures.mine} AND campaign_id IN (SELECT campaign_id FROM active))),
            matching AS (
              SELECT id, key, name, COALESCE(status, 'idle') AS status
              FROM (SELECT id, key, name FROM location WHERE ${figures.locationMatches}) AS location
              LEFT JOIN targeted_now USING (id)),
            group_names AS MATERIALIZED (
              SELECT location_id AS id, json_agg(name ORDER BY name COLLATE "C") AS groups
              FROM location_group_member
              JOIN (SELECT id AS group_id, name FROM location_group WHERE ${figures.mine}) AS named USING (group_id)
              WHERE ${figures.mine} GROUP BY location_id),
            event_count AS MATERIALIZED (${locationCounts(sql, tenant, scope, counted)}),
            registered AS (${figures.registeredDevices}),
            report AS (
              SELECT id, name, status, COALESCE(groups, '[]') AS groups,
                     COALESCE(entries, 0) AS entries, COALESCE(exits, 0) AS exits,
                     ${figures.percent("COALESCE(entered, 0)", "devices")} AS engagement,
                     round(stayed / (nullif(stays, 0) * 60000000::numeric), 1)::float8 AS dwell_minutes
              FROM matching LEFT JOIN group_names USING (id) LEFT JOIN event_count USING (key), registered
              WHERE ${status}::text IS NULL OR status = ${status})
            SELECT COALESCE(json_agg(report ORDER BY entries DESC, name COLLATE "C", id), '[]')::text AS data
            FROM report`);
        },
      };
    }),
  },
) {
  static readonly layer = Layer.effect(LocationReportSql, LocationReportSql.make);
}
