import type { SqlClient, Statement } from "effect/sql";
import { arrayOf } from "../database/Rows.ts";
import type { Tenant } from "../workspaces/Workspace.ts";
import { events, makesStays, outcomes, compactedEvents } from "./SourceRowsSql.ts";
import { reportFigures, type ReportScope } from "./ReportFiguresSql.ts";

/** What the summary counts: of the whole range in place 0, and of each of its days from place 1. */
export interface SummaryFigures {
  readonly delivered: ReadonlyArray<number>;
  readonly reached: ReadonlyArray<number>;
  readonly entries: ReadonlyArray<number>;
  readonly exits: ReadonlyArray<number>;
}

/** Outcomes of one campaign or notification, by its number. */
export interface OutcomeFigures {
  readonly key: number;
  readonly delivered: number;
  readonly failed: number;
  readonly reached: number;
}

/** Events at one location, by its number; `stays` are entries that an exit followed, `stayed` how long, in microseconds. */
export interface VisitFigures {
  readonly key: number;
  readonly entries: number;
  readonly exits: number;
  readonly entered: number;
  readonly stays: number;
  readonly stayed: bigint;
}

const ints = (of: ReadonlyArray<number>) => arrayOf("int4", of);
const numbers = (sql: SqlClient.SqlClient, of: ReadonlyArray<number>) =>
  sql`${arrayOf("float8", of)}::int8[]`;

/**
 * Queries that the statement of the summary joins: `deliveryDay` (`day`, `delivered`, `devices_reached`) and `eventDay` (`day`,
 * `entries`, `exits`). Day 0 is the whole range and always there. From base rows, or of figures that are there already.
 */
export const summaryCounts = (
  sql: SqlClient.SqlClient,
  tenant: Tenant,
  scope: ReportScope,
  counted?: SummaryFigures,
) => {
  if (counted !== undefined) {
    const days = ints(counted.delivered.map((_, place) => place));
    return {
      deliveryDay: sql`
        SELECT * FROM unnest(${days}, ${numbers(sql, counted.delivered)}, ${numbers(sql, counted.reached)})
          AS counted (day, delivered, devices_reached)`,
      eventDay: sql`
        SELECT * FROM unnest(${days}, ${numbers(sql, counted.entries)}, ${numbers(sql, counted.exits)})
          AS counted (day, entries, exits)`,
    };
  }
  const figures = reportFigures(sql, tenant, scope);
  const dayStarts = arrayOf("timestamptz", scope.range.dayStarts);
  return {
    deliveryDay: sql`
      SELECT COALESCE(day, 0) AS day, count(*) AS delivered, count(DISTINCT device_key) AS devices_reached
      FROM (
        SELECT device_key, width_bucket(settled_at, ${dayStarts}) AS day
        FROM ${outcomes(sql, scope.range)} WHERE ${figures.deliveryCounts}) AS counted
      GROUP BY GROUPING SETS ((day), ())`,
    eventDay: sql`
      SELECT COALESCE(day, 0) AS day,
             count(*) FILTER (WHERE type = 'enter') AS entries, count(*) FILTER (WHERE type = 'exit') AS exits
      FROM (
        SELECT type, width_bucket(occurred_at, ${dayStarts}) AS day
        FROM ${events(sql, scope.range)} WHERE ${figures.eventCounts}) AS counted
      GROUP BY GROUPING SETS ((day), ())`,
  };
};

/** A query of the deliveries of each campaign: `no`, `delivered`, `reached`. From base rows, or of figures that are there already. */
export const campaignCounts = (
  sql: SqlClient.SqlClient,
  tenant: Tenant,
  scope: ReportScope,
  counted?: ReadonlyArray<OutcomeFigures>,
): Statement.Fragment =>
  counted !== undefined
    ? sql`
  SELECT * FROM unnest(${ints(counted.map(({ key }) => key))}, ${numbers(
    sql,
    counted.map(({ delivered }) => delivered),
  )}, ${numbers(
    sql,
    counted.map(({ reached }) => reached),
  )}) AS counted (key, delivered, reached)`
    : sql`
  SELECT campaign_key AS key, count(*) AS delivered, count(DISTINCT device_key) AS reached
  FROM ${outcomes(sql, scope.range)} WHERE ${reportFigures(sql, tenant, scope).deliveryCounts} GROUP BY campaign_key`;

/** A query of the attempts of each notification: `no`, `sent`, `delivered`, `reached`. From base rows, or of figures that are there. */
export const notificationCounts = (
  sql: SqlClient.SqlClient,
  tenant: Tenant,
  scope: ReportScope,
  counted?: ReadonlyArray<OutcomeFigures>,
): Statement.Fragment =>
  counted !== undefined
    ? sql`
  SELECT key, delivered + failed AS sent, delivered, reached
  FROM unnest(${ints(counted.map(({ key }) => key))}, ${numbers(
    sql,
    counted.map(({ delivered }) => delivered),
  )}, ${numbers(
    sql,
    counted.map(({ failed }) => failed),
  )}, ${numbers(
    sql,
    counted.map(({ reached }) => reached),
  )}) AS counted (key, delivered, failed, reached)`
    : sql`
  SELECT notification_key AS key, count(*) AS sent,
         count(*) FILTER (WHERE status = 'delivered') AS delivered,
         count(DISTINCT device_key) FILTER (WHERE status = 'delivered') AS reached
  FROM ${outcomes(sql, scope.range)} WHERE ${reportFigures(sql, tenant, scope).outcomeCounts} GROUP BY notification_key`;

/**
 * A query of the events at each location, from base rows or of figures that are there: `no`, `entries`, `exits`, `entered`, and `stays` (entries that an exit followed) with
 * `stayed` (microseconds).
 */
export const locationCounts = (
  sql: SqlClient.SqlClient,
  tenant: Tenant,
  scope: ReportScope,
  counted?: ReadonlyArray<VisitFigures>,
): Statement.Fragment => {
  if (counted !== undefined) {
    return sql`
      SELECT * FROM unnest(${ints(counted.map(({ key }) => key))}, ${numbers(
        sql,
        counted.map(({ entries }) => entries),
      )}, ${numbers(
        sql,
        counted.map(({ exits }) => exits),
      )}, ${numbers(
        sql,
        counted.map(({ entered }) => entered),
      )}, ${numbers(
        sql,
        counted.map(({ stays }) => stays),
      )}, ${arrayOf(
        "int8",
        counted.map(({ stayed }) => stayed),
      )}) AS counted (key, entries, exits, entered, stays, stayed)`;
  }
  return sql`
    SELECT location_key AS key,
           count(*) FILTER (WHERE type = 'enter') AS entries,
           count(*) FILTER (WHERE type = 'exit') AS exits,
           count(DISTINCT device_key) FILTER (WHERE type = 'enter') AS entered,
           count(next_exit) FILTER (WHERE type = 'enter') AS stays,
           COALESCE(sum(extract(epoch FROM next_exit - occurred_at)) FILTER (WHERE type = 'enter'), 0) * 1000000 AS stayed
    FROM ${staysOfEntries(sql, tenant, scope)} WHERE ${reportFigures(sql, tenant, scope).eventCounts} GROUP BY location_key`;
};

/**
 * The events from the range's start on at the locations that match, for a `FROM`, each with the `next_exit` that it may have been followed by: the earliest of the
 * later ones, read backwards so that each event is looked at once (K5).
 */
export const staysOfEntries = (
  sql: SqlClient.SqlClient,
  tenant: Tenant,
  scope: ReportScope,
): Statement.Fragment => {
  const figures = reportFigures(sql, tenant, scope);
  return sql`(
      SELECT workspace_id, environment, device_key, location_key, type, occurred_at,
        CASE WHEN makes_stays THEN min(occurred_at) FILTER (WHERE type = 'exit' AND makes_stays) OVER (
          PARTITION BY location_key, device_key
          ORDER BY occurred_at DESC GROUPS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) END AS next_exit
      FROM (
        SELECT *, ${makesStays(sql, figures.mine)} AS makes_stays
        FROM geofence_event WHERE ${figures.eventFollows}) AS unpacked
      UNION ALL
      SELECT workspace_id, environment, device_key, location_key, type, occurred_at,
        occurred_at + stayed * interval '1 microsecond'
      FROM (${compactedEvents(sql, scope.range)}) AS packed) AS visit`;
};
