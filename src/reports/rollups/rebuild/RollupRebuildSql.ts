import { Effect } from "effect";
import type { Statement } from "effect/sql";
import { asNumber, epochMillis, instant, moment, onlyRow, unnested } from "../../../database/Rows.ts";
import { SqlService } from "../../../database/SqlService.ts";
import { onlyValue } from "../../../database/Statements.ts";
import {
  compactedDeliveries,
  compactedEvents,
  isVisitBoundary,
  type Period,
  within,
} from "../../SourceRowsSql.ts";
import { inTenant } from "../../../database/TenantColumns.ts";
import type { TenantKey } from "../../../workspaces/Environment.ts";
import { outcomeColumns, outcomeKinds, type PackedColumns, transitionColumns } from "./SourceColumns.ts";

/** An entry without an exit yet. */
export interface OpenEntry {
  readonly device: number;
  readonly location: number;
}

/** A column as a binary array; no bytes where there are no rows. The expression is trusted text. */
const arrayColumn = (expression: string) => `COALESCE(array_send(array_agg(${expression})), '')`;

const kindIndex = `(CASE ${outcomeKinds
  .map(
    ({ contentType, triggerType }, index) =>
      `WHEN content_type = '${contentType}' AND trigger_type = '${triggerType}' THEN ${index}`,
  )
  .join(" ")} END)`;

/** The statements that read source rows for a rebuild, in the transaction of `RollupStateSql.lock`. */
export class RollupRebuildSql extends SqlService<RollupRebuildSql>(
  "waypost/reports/rollups/rebuild/RollupRebuildSql",
)((sql) => {
  // Bound: 400 days of a rebuild, as packed arrays.
  /** The rows of a source as arrays of these expressions. */
  const packed = (rows: Statement.Fragment, keys: string, details: string, at: string) =>
    onlyRow(sql<PackedColumns>`
      SELECT ${sql.literal(arrayColumn(keys))} AS keys, ${sql.literal(arrayColumn(details))} AS details,
        ${sql.literal(arrayColumn(at))} AS instants
      FROM (${rows}) AS source`);

  const outcomes = (rows: Statement.Fragment) => {
    const details = `(notification_key::int8 << 32) | (2 * ${kindIndex} + (status = 'delivered')::int)::int8`;
    return Effect.map(
      packed(rows, "(campaign_key::int8 << 32) | device_key::int8", details, "settled_at"),
      outcomeColumns,
    );
  };

  const transitions = (rows: Statement.Fragment) => {
    const details =
      "(COALESCE(visit_micros, -1) << 2) | (2 * is_boundary::int + (type = 'enter')::int)::int8";
    return Effect.map(
      packed(rows, "(location_key::int8 << 32) | device_key::int8", details, "occurred_at"),
      transitionColumns,
    );
  };

  /** Whether an event (`geofence_event AS e`) is in no delta. Without deltas nothing is read. */
  const isRolledUp = (tenant: TenantKey, hasDeltas: boolean) =>
    hasDeltas
      ? sql`NOT EXISTS (
          SELECT FROM (
            SELECT each.device_key, each.id
            FROM event_delta, unnest(device_keys, event_ids) AS each (device_key, id)
            WHERE ${inTenant(tenant)}) AS d
          WHERE d.device_key = e.device_key AND d.id = e.id)`
      : sql`true`;

  return {
    /** Returns an instant at or after the newest source row older than `beforeMs`; null for none. */
    newest: (tenant: TenantKey, beforeMs: number) => {
      const before = moment(sql, beforeMs);
      const last = (table: string, column: string) => sql`
        (SELECT ${sql(column)} AS at FROM ${sql(table)}
         WHERE ${inTenant(tenant)} AND ${sql(column)} < ${before} ORDER BY ${sql(column)} DESC LIMIT 1)`;
      const compacted = (table: "compacted_delivery" | "compacted_event" | "compacted_interaction") => sql`
        (SELECT LEAST(day + interval '24 hours', ${before}) FROM ${sql(table)}
         WHERE ${inTenant(tenant)} AND day < ${before} ORDER BY day DESC LIMIT 1)`;
      return onlyValue(sql<{ readonly at: number | null }>`
        SELECT ${epochMillis("max(at)")} AS at FROM (
          ${last("delivery", "settled_at")}
          UNION ALL ${last("delivery", "opened_at")}
          UNION ALL ${last("delivery", "clicked_at")}
          UNION ALL ${last("geofence_event", "occurred_at")}
          UNION ALL ${last("survey_response", "first_answered_at")}
          UNION ALL ${compacted("compacted_delivery")}
          UNION ALL ${compacted("compacted_interaction")}
          UNION ALL ${compacted("compacted_event")}) AS last`);
    },

    /** The settled deliveries of a period, at most so many. */
    outcomes: (tenant: TenantKey, period: Period, limit: number) =>
      outcomes(sql`
        SELECT * FROM delivery
        WHERE ${inTenant(tenant)} AND ${within(sql, "settled_at", period)} AND NOT test
          LIMIT ${limit}`),

    /** The compacted deliveries of a period. */
    compactedOutcomes: (tenant: TenantKey, period: Period) =>
      outcomes(sql`
        SELECT * FROM (${compactedDeliveries(sql, period)}) AS compacted
        WHERE ${inTenant(tenant)} AND ${within(sql, "settled_at", period)}`),

    /** The events of a period, at most so many. */
    transitions: (tenant: TenantKey, period: Period, limit: number) =>
      transitions(sql`
        SELECT device_key, location_key, type, ${isVisitBoundary(sql, inTenant(tenant))} AS is_boundary,
          NULL::int8 AS visit_micros, occurred_at
        FROM geofence_event
        WHERE ${inTenant(tenant)} AND ${within(sql, "occurred_at", period)} LIMIT ${limit}`),

    /** The compacted events of a period, whose visits are known. */
    compactedTransitions: (tenant: TenantKey, period: Period) =>
      transitions(sql`
        SELECT device_key, location_key, type, false AS is_boundary, visit_micros, occurred_at
        FROM (${compactedEvents(sql, period)}) AS compacted
        WHERE ${inTenant(tenant)} AND ${within(sql, "occurred_at", period)}`),

    /** The first exits of a period that can end visits and are in no delta; at most so many, by time. */
    exits: (tenant: TenantKey, period: Period, limit: number, hasDeltas: boolean) =>
      transitions(sql`
        SELECT device_key, location_key, type, true AS is_boundary, NULL::int8 AS visit_micros,
          occurred_at
        FROM geofence_event AS e
        WHERE ${inTenant(tenant)} AND ${within(sql, "occurred_at", period)} AND type = 'exit'
          AND ${isVisitBoundary(sql, inTenant(tenant))} AND ${isRolledUp(tenant, hasDeltas)}
        ORDER BY occurred_at LIMIT ${limit}`),

    /**
     * When the devices of some entries next left, from an instant on, in microseconds since 1970: each
     * with the index of its entry, from 1.
     */
    lateExits: (tenant: TenantKey, entries: ReadonlyArray<OpenEntry>, fromMs: number, hasDeltas: boolean) =>
      Effect.orDie(sql<{ readonly ord: number; readonly at: number }>`
        SELECT ord::int AS ord, ${asNumber("extract(epoch FROM min(e.occurred_at)) * 1000000")} AS at
        FROM ${unnested("open", entries, {
          device_key: ["int4", ({ device }) => device],
          location_key: ["int4", ({ location }) => location],
        })}
        JOIN (
          SELECT device_key, location_key, id, occurred_at FROM geofence_event
          WHERE ${inTenant(tenant)} AND type = 'exit' AND occurred_at >= ${instant(fromMs)}
            AND ${isVisitBoundary(sql, inTenant(tenant))}) AS e
        USING (device_key, location_key)
        WHERE ${isRolledUp(tenant, hasDeltas)}
        GROUP BY ord`),
  };
}) {}
