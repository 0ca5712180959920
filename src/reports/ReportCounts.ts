import type { SqlClient, Statement } from "effect/sql";
import { arrayOf } from "../database/Rows.ts";
import type { Tenant } from "../workspaces/Workspace.ts";
import { reportFigures, type ReportScope } from "./ReportFiguresSql.ts";

/**
 * What a report counts, as queries that its statement joins with names and statuses. Days are places in the range from 1; day 0 is
 * the whole range and always there.
 */
export interface SummaryCounts {
  /** `day`, `delivered`, `devices_reached`. */
  readonly deliveryDay: Statement.Fragment;
  /** `day`, `entries`, `exits`. */
  readonly eventDay: Statement.Fragment;
}

/** Counts of the summary, from base rows. */
export const plainSummary = (sql: SqlClient.SqlClient, tenant: Tenant, scope: ReportScope): SummaryCounts => {
  const figures = reportFigures(sql, tenant, scope);
  const dayStarts = arrayOf("timestamptz", scope.range.dayStarts);
  return {
    deliveryDay: sql`
      SELECT COALESCE(day, 0) AS day, count(*) AS delivered, count(DISTINCT device_no) AS devices_reached
      FROM (
        SELECT device_no, width_bucket(settled_at, ${dayStarts}) AS day
        FROM delivery WHERE ${figures.deliveryCounts}) AS counted
      GROUP BY GROUPING SETS ((day), ())`,
    eventDay: sql`
      SELECT COALESCE(day, 0) AS day,
             count(*) FILTER (WHERE type = 'enter') AS entries, count(*) FILTER (WHERE type = 'exit') AS exits
      FROM (
        SELECT type, width_bucket(occurred_at, ${dayStarts}) AS day
        FROM geofence_event WHERE ${figures.eventCounts}) AS counted
      GROUP BY GROUPING SETS ((day), ())`,
  };
};

/** Deliveries of each campaign, from base rows: `no`, `delivered`, `reached`. */
export const plainCampaigns = (
  sql: SqlClient.SqlClient,
  tenant: Tenant,
  scope: ReportScope,
): Statement.Fragment => sql`
  SELECT campaign_no AS no, count(*) AS delivered, count(DISTINCT device_no) AS reached
  FROM delivery WHERE ${reportFigures(sql, tenant, scope).deliveryCounts} GROUP BY campaign_no`;

/** Attempts of each notification, from base rows: `no`, `sent`, `delivered`, `reached`. */
export const plainNotifications = (
  sql: SqlClient.SqlClient,
  tenant: Tenant,
  scope: ReportScope,
): Statement.Fragment => sql`
  SELECT notification_no AS no, count(*) AS sent,
         count(*) FILTER (WHERE status = 'delivered') AS delivered,
         count(DISTINCT device_no) FILTER (WHERE status = 'delivered') AS reached
  FROM delivery WHERE ${reportFigures(sql, tenant, scope).outcomeCounts} GROUP BY notification_no`;

/**
 * Events at each location, from base rows: `no`, `entries`, `exits`, `entered`, and `stays` (entries that an exit followed) with
 * `stayed` (microseconds). An entry's next exit is the earliest of the later ones, read backwards so that each event is looked at
 * once (K5).
 */
export const plainLocations = (
  sql: SqlClient.SqlClient,
  tenant: Tenant,
  scope: ReportScope,
): Statement.Fragment => {
  const figures = reportFigures(sql, tenant, scope);
  return sql`
    SELECT location_no AS no,
           count(*) FILTER (WHERE type = 'enter') AS entries,
           count(*) FILTER (WHERE type = 'exit') AS exits,
           count(DISTINCT device_no) FILTER (WHERE type = 'enter') AS entered,
           count(next_exit) FILTER (WHERE type = 'enter') AS stays,
           COALESCE(sum(extract(epoch FROM next_exit - occurred_at)) FILTER (WHERE type = 'enter'), 0) * 1000000 AS stayed
    FROM (
      SELECT *, min(occurred_at) FILTER (WHERE type = 'exit') OVER (
        PARTITION BY location_no, device_no
        ORDER BY occurred_at DESC GROUPS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS next_exit
      FROM geofence_event WHERE ${figures.eventFollows}) AS visit
    WHERE ${figures.eventCounts} GROUP BY location_no`;
};
