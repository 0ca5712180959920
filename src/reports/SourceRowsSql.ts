/** The rows that reports count: those of the tables of deliveries and events, and those that were packed (docs/decisions/0027). */
import type { SqlClient, Statement } from "effect/sql";
import { instant } from "../database/Rows.ts";
import { lateDays } from "../events/Transition.ts";

/** A time from `fromMs` up to and without `toMs` (epoch milliseconds), null for no bound. */
export interface CountedSpan {
  readonly fromMs: number | null;
  readonly toMs: number | null;
}

const daysOf = (sql: SqlClient.SqlClient, { fromMs, toMs }: CountedSpan): Statement.Fragment =>
  sql.and([
    sql`true`,
    ...(fromMs === null ? [] : [sql`day >= date_bin('1 day', ${instant(fromMs)}, 'epoch')`]),
    ...(toMs === null ? [] : [sql`day < ${instant(toMs)}`]),
  ]);

/** Packed deliveries, as a query: those of the span, and others. `settled_at` is the quarter of an hour. */
export const compactedDeliveries = (sql: SqlClient.SqlClient, span: CountedSpan): Statement.Fragment => sql`
  SELECT workspace_id, environment, each.device_key, each.campaign_key, each.notification_key, content_type, trigger_type, status,
    day + each.quarter * interval '15 minutes' AS settled_at
  FROM compacted_delivery, unnest(campaign_keys, notification_keys, quarters, device_keys)
    AS each (campaign_key, notification_key, quarter, device_key)
  WHERE ${daysOf(sql, span)}`;

/**
 * Settled deliveries, for a `FROM`: those of the span, and others. The columns are named as those of `delivery`; `settled_at` of packed
 * ones is the quarter of an hour.
 */
export const outcomes = (sql: SqlClient.SqlClient, span: CountedSpan): Statement.Fragment => sql`(
  SELECT workspace_id, environment, device_key, campaign_key, notification_key, content_type, trigger_type, status, settled_at
  FROM delivery
  UNION ALL ${compactedDeliveries(sql, span)}) AS outcome`;

/**
 * Packed events, as a query: those of the span, and others. The columns are named as those of `geofence_event`; `stayed` is how many
 * microseconds after an entry its exit came, if one did.
 */
export const compactedEvents = (sql: SqlClient.SqlClient, span: CountedSpan): Statement.Fragment => sql`
  SELECT workspace_id, environment, each.device_key, each.location_key, CASE WHEN each.enters THEN 'enter' ELSE 'exit' END AS type,
    day + each.millis * interval '1 millisecond' AS occurred_at, each.stayed
  FROM compacted_event, unnest(millis, device_keys, location_keys, enters, stayed)
    AS each (millis, device_key, location_key, enters, stayed)
  WHERE ${daysOf(sql, span)}`;

/** Geofence events, for a `FROM`: those of the span, and others. A packed event has no `id`, and only packed ones have `stayed`. */
export const events = (sql: SqlClient.SqlClient, span: CountedSpan): Statement.Fragment => sql`(
  SELECT workspace_id, environment, device_key, location_key, type, occurred_at, id, NULL::int8 AS stayed FROM geofence_event
  UNION ALL
  SELECT workspace_id, environment, device_key, location_key, type, occurred_at, NULL::uuid, stayed
  FROM (${compactedEvents(sql, span)}) AS packed) AS event`;

/**
 * Whether an event begins or ends a stay, over the columns of `geofence_event` and those of the environment (`mine`). One that was reported
 * 59 days late or later, from a time that was packed already, does neither: the events that it belongs to may be packed. Retention is at
 * least 60 days, so whatever comes sooner finds them.
 */
export const makesStays = (sql: SqlClient.SqlClient, mine: Statement.Fragment): Statement.Fragment => sql`(
  occurred_at >= COALESCE((SELECT events_before FROM retention WHERE ${mine}), '-infinity')
  OR received_at < occurred_at + ${sql.literal(`interval '${lateDays} days'`)})`;
