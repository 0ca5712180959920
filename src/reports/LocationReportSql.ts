import { unnested } from "../database/Rows.ts";
import { percent, registeredDevices, reportConditions } from "./ReportConditionsSql.ts";
import type { LocationCounts } from "./ReportCounts.ts";
import type { RowReportOf } from "./RowReportSql.ts";

/** The location report: a row for each matching location. */
export const locationReport: RowReportOf<LocationCounts> = (sql, tenant, scope, counts) => {
  const { campaignStatus, locationMatches, mine } = reportConditions(sql, tenant, scope);
  const counted = unnested("counted", counts, {
    key: ["int4", ({ key }) => key],
    entries: ["int8", ({ entries }) => BigInt(entries)],
    exits: ["int8", ({ exits }) => BigInt(exits)],
    entered: ["int8", ({ entered }) => BigInt(entered)],
    visits: ["int8", ({ visits }) => BigInt(visits)],
    visit_micros: ["int8", ({ visitMicros }) => visitMicros],
  });
  return {
    queries: sql`
      active AS MATERIALIZED (
        SELECT id AS campaign_id FROM campaign WHERE ${mine} AND ${campaignStatus} = 'active'),
      -- Pairs of campaign and location would be many times as many rows.
      targeted_now AS MATERIALIZED (
        SELECT location_id AS id, 'active' AS status FROM campaign_location
        WHERE ${mine} AND campaign_id IN (SELECT campaign_id FROM active)
        UNION
        SELECT location_id, 'active' FROM location_group_member
        WHERE ${mine} AND group_id IN (
          SELECT group_id FROM campaign_location_group
          WHERE ${mine} AND campaign_id IN (SELECT campaign_id FROM active))),
      matching AS (
        SELECT id, key, name, COALESCE(status, 'idle') AS status
        FROM (SELECT id, key, name FROM location WHERE ${locationMatches}) AS location
        LEFT JOIN targeted_now USING (id)),
      group_names AS MATERIALIZED (
        SELECT location_id AS id, json_agg(name ORDER BY name COLLATE "C") AS groups
        FROM location_group_member
        JOIN (SELECT id AS group_id, name FROM location_group WHERE ${mine}) AS named USING (group_id)
        WHERE ${mine} GROUP BY location_id),
      event_count AS MATERIALIZED (SELECT * FROM ${counted}),
      registered AS (${registeredDevices(sql, tenant)})`,
    rows: sql`
      SELECT id, name, status, COALESCE(groups, '[]') AS groups,
        COALESCE(entries, 0) AS entries, COALESCE(exits, 0) AS exits,
        ${percent(sql, "COALESCE(entered, 0)", "devices")} AS engagement,
        round(visit_micros / (nullif(visits, 0) * 60000000::numeric), 1)::float8 AS dwell_minutes
      FROM matching LEFT JOIN group_names USING (id) LEFT JOIN event_count USING (key), registered`,
    order: { figure: "entries", name: "name" },
  };
};
