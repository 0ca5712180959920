/**
 * Source rows: the deliveries and events that reports count, in their own tables or compacted
 * (docs/decisions/0027). Rollups are derived from them.
 */
import type { SqlClient, Statement } from "effect/sql";
import { arrayOf, instant } from "../database/Rows.ts";
import { lateDays } from "../events/Transition.ts";

/** A time from `fromMs` up to but without `toMs` (epoch milliseconds). */
export interface Period {
  readonly fromMs: number;
  readonly toMs: number;
}

/** Whether an instant lies in a period. The column is a trusted name. */
export const within = (
  sql: SqlClient.SqlClient,
  column: string,
  { fromMs, toMs }: Period,
): Statement.Fragment => sql`${sql(column)} >= ${instant(fromMs)} AND ${sql(column)} < ${instant(toMs)}`;

/** The start of the local day of an instant, of these days, in epoch milliseconds. */
export const dayOf = (
  sql: SqlClient.SqlClient,
  column: string,
  dayStarts: ReadonlyArray<number>,
): Statement.Fragment => {
  const bucket = sql`width_bucket(${sql(column)}, ${arrayOf("timestamptz", dayStarts)})`;
  return sql`(${arrayOf("float8", dayStarts)})[${bucket}]`;
};

/** Whether a compacted row, which holds a UTC day, may hold something of a period. */
const daysOf = (sql: SqlClient.SqlClient, { fromMs, toMs }: Period): Statement.Fragment =>
  sql`day >= date_bin('1 day', ${instant(fromMs)}, 'epoch') AND day < ${instant(toMs)}`;

/**
 * Compacted deliveries of a period and around it, as a query. The columns are named as those of `delivery`;
 * `settled_at` is the quarter of an hour. Bound: the range of a report, 366 days at most.
 */
const compactedDeliveries = (sql: SqlClient.SqlClient, period: Period): Statement.Fragment => sql`
  SELECT workspace_id, environment, each.device_key, each.campaign_key, each.notification_key, content_type,
    trigger_type, status, day + each.quarter * interval '15 minutes' AS settled_at
  FROM compacted_delivery, unnest(campaign_keys, notification_keys, quarters, device_keys)
    AS each (campaign_key, notification_key, quarter, device_key)
  WHERE ${daysOf(sql, period)}`;

/** Settled deliveries of a period and others, without test sends, for a `FROM`; see `compactedDeliveries`. */
export const outcomes = (sql: SqlClient.SqlClient, period: Period): Statement.Fragment => sql`(
  SELECT workspace_id, environment, device_key, campaign_key, notification_key, content_type, trigger_type,
    status, settled_at
  FROM delivery WHERE NOT test
  UNION ALL ${compactedDeliveries(sql, period)}) AS outcome`;

/**
 * Deliveries that were opened or clicked in a period and around it, for a `FROM`: how many `opened` and
 * `clicked` at an instant, `at`. Compacted ones are dated by the quarter of an hour.
 */
export const interactions = (sql: SqlClient.SqlClient, period: Period): Statement.Fragment => sql`(
  SELECT workspace_id, environment, campaign_key, notification_key, content_type, trigger_type,
    opened_at AS at, 1 AS opened, 0 AS clicked
  FROM delivery WHERE opened_at IS NOT NULL AND NOT test
  UNION ALL
  SELECT workspace_id, environment, campaign_key, notification_key, content_type, trigger_type, clicked_at,
    0, 1
  FROM delivery WHERE clicked_at IS NOT NULL AND NOT test
  UNION ALL
  SELECT workspace_id, environment, each.campaign_key, each.notification_key, content_type, trigger_type,
    day + each.quarter * interval '15 minutes', each.opened, each.clicked
  FROM compacted_interaction, unnest(campaign_keys, notification_keys, quarters, opened, clicked)
    AS each (campaign_key, notification_key, quarter, opened, clicked)
  WHERE ${daysOf(sql, period)}) AS interaction`;

/**
 * Compacted events of a period and around it, as a query. The columns are named as those of `geofence_event`;
 * `visit_micros` is the length of the visit that an entry began, in microseconds; null without an exit.
 * Bound: the range of a report, 366 days at most.
 */
const compactedEvents = (sql: SqlClient.SqlClient, period: Period): Statement.Fragment => sql`
  SELECT workspace_id, environment, each.device_key, each.location_key,
    CASE WHEN each.enters THEN 'enter' ELSE 'exit' END AS type,
    day + each.millis * interval '1 millisecond' AS occurred_at, each.visit_micros
  FROM compacted_event, unnest(millis, device_keys, location_keys, enters, visit_micros)
    AS each (millis, device_key, location_key, enters, visit_micros)
  WHERE ${daysOf(sql, period)}`;

/** Geofence events of a period and others, for a `FROM`, without their visits. */
export const events = (sql: SqlClient.SqlClient, period: Period): Statement.Fragment => sql`(
  SELECT workspace_id, environment, device_key, location_key, type, occurred_at FROM geofence_event
  UNION ALL
  SELECT workspace_id, environment, device_key, location_key, type, occurred_at
  FROM (${compactedEvents(sql, period)}) AS compacted) AS event`;

/**
 * Whether an event begins or ends a visit, over the columns of `geofence_event`; `mine` selects its
 * environment. An event that was received 59 days late or later, for a time that was compacted already, does
 * neither: the events it belongs to may be compacted. Retention is at least 60 days, so earlier ones find
 * them.
 */
export const isVisitBoundary = (
  sql: SqlClient.SqlClient,
  mine: Statement.Fragment,
): Statement.Fragment => sql`(
  occurred_at >= COALESCE((SELECT events_before FROM retention WHERE ${mine}), '-infinity')
  OR received_at < occurred_at + ${sql.literal(`interval '${lateDays} days'`)})`;

/**
 * Events that `stored` selects, and compacted ones of a period and around it, for a `FROM`: each entry with
 * its `next_exit`, the device's earliest later one there (contract K5). `mine` selects the environment. Of
 * stored events it is among them, else `laterExit`, over the event `e`. The window runs backwards, so that it
 * reads each event once.
 */
export const visits = (
  sql: SqlClient.SqlClient,
  {
    laterExit,
    mine,
    period,
    stored,
  }: Readonly<Record<"laterExit" | "mine" | "stored", Statement.Fragment>> & {
    readonly period: Period;
  },
): Statement.Fragment => sql`(
  SELECT workspace_id, environment, device_key, location_key, type, occurred_at,
    CASE WHEN is_boundary AND type = 'enter' THEN COALESCE(
      min(occurred_at) FILTER (WHERE type = 'exit' AND is_boundary) OVER (
        PARTITION BY location_key, device_key
        ORDER BY occurred_at DESC GROUPS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING),
      ${laterExit}) END AS next_exit
  FROM (SELECT *, ${isVisitBoundary(sql, mine)} AS is_boundary FROM geofence_event WHERE ${stored}) AS e
  UNION ALL
  SELECT workspace_id, environment, device_key, location_key, type, occurred_at,
    occurred_at + visit_micros * interval '1 microsecond'
  FROM (${compactedEvents(sql, period)}) AS compacted) AS visit`;

/** The columns `entries` and `exits` of a `TransitionGroup`, over `type`. */
export const entriesAndExits = (sql: SqlClient.SqlClient): Statement.Fragment => sql`
  (count(*) FILTER (WHERE type = 'enter'))::int AS entries,
  (count(*) FILTER (WHERE type = 'exit'))::int AS exits`;

/** The same with `devices`, over `device_key`. */
export const transitionSums = (sql: SqlClient.SqlClient): Statement.Fragment => sql`${entriesAndExits(sql)},
  COALESCE(array_send(array_agg(device_key) FILTER (WHERE type = 'enter')), '') AS devices`;

/** The columns of a `VisitChange`, over `visits`. */
export const visitSums = (sql: SqlClient.SqlClient): Statement.Fragment => sql`
  count(next_exit)::float8 AS visits,
  (COALESCE(sum(extract(epoch FROM next_exit - occurred_at)), 0) * 1000000)::int8 AS "visitMicros"`;
