import type { SqlClient, Statement } from "effect/sql";
import { unnested } from "../database/Rows.ts";
import type { Tenant } from "../workspaces/Workspace.ts";
import { registeredDevices, reportConditions, type ReportScope } from "./ReportConditionsSql.ts";
import type { SummaryCounts } from "./ReportCounts.ts";

/** The statement of the summary report: totals and a row for each day. Bound: 1 row of 366 days. */
export const summaryReport = (
  sql: SqlClient.SqlClient,
  tenant: Tenant,
  scope: ReportScope,
  { deliveries, transitions }: SummaryCounts,
): Statement.Fragment => {
  const { campaignMatches, campaignStatus } = reportConditions(sql, tenant, scope);
  const rows = [
    { date: null, ...deliveries.total, ...transitions.total },
    ...scope.range.dates.map((date, index) => ({
      date,
      ...(deliveries.days[index] ?? { delivered: 0, reached: 0 }),
      ...(transitions.days[index] ?? { entries: 0, exits: 0 }),
    })),
  ];
  const counted = unnested("counted", rows, {
    date: ["text", ({ date }) => date],
    delivered: ["int8", ({ delivered }) => BigInt(delivered)],
    reached: ["int8", ({ reached }) => BigInt(reached)],
    entries: ["int8", ({ entries }) => BigInt(entries)],
    exits: ["int8", ({ exits }) => BigInt(exits)],
  });
  const activity = sql`
    'delivered', delivered, 'devices_reached', reached, 'geofence_entries', entries, 'geofence_exits', exits`;
  return sql`
    WITH
    counted AS MATERIALIZED (SELECT * FROM ${counted}),
    campaigns AS (
      SELECT count(*) AS campaigns, count(*) FILTER (WHERE status = 'active') AS active
      FROM (SELECT ${campaignStatus} AS status FROM campaign WHERE ${campaignMatches}) AS matching),
    registered AS (${registeredDevices(sql, tenant)})
    SELECT json_build_object(
      'totals', json_build_object(${activity},
        'campaigns', campaigns, 'active_campaigns', active, 'registered_devices', devices),
      'daily', (
        SELECT json_agg(json_build_object('date', date, ${activity}) ORDER BY ord)
        FROM counted WHERE date IS NOT NULL))::text AS data
    FROM counted, campaigns, registered WHERE date IS NULL`;
};
