/**
 * Source rows: the deliveries and events that reports count, in their own tables or compacted
 * (docs/decisions/0027). Rollups are derived from them.
 */
import type { SqlClient, Statement } from "effect/sql";
import { instant } from "../database/Rows.ts";
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

/** Whether a compacted row, which holds a UTC day, may hold something of a period. */
const daysOf = (sql: SqlClient.SqlClient, { fromMs, toMs }: Period): Statement.Fragment =>
  sql`day >= date_bin('1 day', ${instant(fromMs)}, 'epoch') AND day < ${instant(toMs)}`;

/**
 * Compacted deliveries of a period and around it, as a query. The columns are named as those of `delivery`;
 * `settled_at` is the quarter of an hour. Bound: the range of a report, 366 days at most.
 */
export const compactedDeliveries = (sql: SqlClient.SqlClient, period: Period): Statement.Fragment => sql`
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
export const compactedEvents = (sql: SqlClient.SqlClient, period: Period): Statement.Fragment => sql`
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
