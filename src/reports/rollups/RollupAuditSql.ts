import { Context, Effect, Layer } from "effect";
import { SqlClient } from "effect/sql";
import { arrayOf, asNumber, instant } from "../../database/Rows.ts";
import { DAY_MS } from "../../time/TimeZone.ts";
import { events, makesStays, outcomes, compactedEvents } from "../SourceRowsSql.ts";
import type { RollupTenant } from "./RollupTypes.ts";
import { isComplete } from "./RollupStateSql.ts";
import { staysChanged } from "./VisitsSql.ts";
import type { PackedVisits } from "./encoding/LocationBlock.ts";

/** An environment that has rollups, and whether they are complete and by its workspace's zone. */
export interface AuditedTenant extends RollupTenant {
  readonly workspace: string;
  readonly name: string;
  readonly timezone: string;
  readonly complete: boolean;
}

/** The key of deliveries within a day or a month of an environment. */
export interface OutcomeKey {
  readonly campaign_key: number;
  readonly notification_key: number;
  readonly content_type: string;
  readonly trigger_type: string;
}

/** Deliveries that base rows or the feed tell of: so many of a status; `devices` as `array_send` writes them, of those delivered. */
export interface ReportedOutcomes extends OutcomeKey {
  readonly status: string;
  readonly count: number;
  readonly devices: Uint8Array | null;
}

/** A row of `delivery_rollup`, or several together, with their sets of devices end to end. */
export interface RollupOutcomes extends OutcomeKey {
  readonly delivered: number;
  readonly failed: number;
  readonly reached: number;
  readonly devices: Uint8Array;
}

/** Events that base rows or the feed tell of; `devices` that entered, as `array_send` writes them. */
export interface ReportedTransitions {
  readonly location_key: number;
  readonly entries: number;
  readonly exits: number;
  readonly devices: Uint8Array | null;
}

/** Stays that began in a day; `stayed` is in microseconds. */
export interface ReportedVisits {
  readonly location_key: number;
  readonly stays: number;
  readonly stayed: bigint;
}

/** Days and their month, of one key. */
export interface MonthAndDays<Row> {
  readonly days: Row;
  readonly month: Row;
}

/** Every statement that compares rollups with what they are made of: each day or page in a transaction of one snapshot. */
export class RollupAuditSql extends Context.Service<RollupAuditSql>()("waypost/reports/RollupAuditSql", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient;
    const mine = ({ environment, workspaceId }: RollupTenant) =>
      sql`workspace_id = ${workspaceId} AND environment = ${environment}`;
    const within = (column: string, fromMs: number, toMs: number) =>
      sql`${sql(column)} >= ${instant(fromMs)} AND ${sql(column)} < ${instant(toMs)}`;
    const inMonth = (month: string) =>
      sql`starts_on >= ${month}::date AND starts_on < ${month}::date + interval '1 month'`;
    const outcomeColumns = sql`campaign_key, notification_key, content_type, trigger_type`;

    return {
      /** To be the first of its transaction: all that follows sees one moment, changes nothing, and may take a while. */
      useOneSnapshot: Effect.orDie(
        Effect.andThen(
          sql`SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY`,
          sql`SET LOCAL statement_timeout = 600000`,
        ),
      ),

      tenants: Effect.orDie(sql<AuditedTenant>`
        SELECT s.workspace_id AS "workspaceId", s.environment, w.public_id AS workspace, w.name, w.timezone,
          ${isComplete} AND s.timezone = w.timezone AS complete
        FROM rollup_state s JOIN workspace w ON w.id = s.workspace_id ORDER BY s.workspace_id, s.environment`),

      /** Whether the rollups of the environment are complete and by this zone, in this snapshot. */
      complete: (tenant: AuditedTenant) =>
        Effect.map(
          Effect.orDie(sql`
            SELECT FROM rollup_state WHERE ${mine(tenant)} AND ${isComplete} AND timezone = ${tenant.timezone}`),
          (rows) => rows.length > 0,
        ),

      /** The first and the last day that have rollups; nulls where none has. */
      rolledDays: (tenant: RollupTenant) =>
        Effect.orDie(sql<{ readonly first: string | null; readonly last: string | null }>`
          SELECT min(starts_on)::text AS first, max(starts_on)::text AS last FROM (
            SELECT starts_on FROM delivery_rollup WHERE ${mine(tenant)} AND span = 'day'
            UNION ALL SELECT starts_on FROM event_rollup WHERE ${mine(tenant)} AND span = 'day') AS day`),

      /** The first day from a date on that has rollups; null if none has. */
      nextRolledDay: (tenant: RollupTenant, date: string) =>
        Effect.map(
          Effect.orDie(sql<{ readonly date: string | null }>`
            SELECT min(starts_on)::text AS date FROM (
              (SELECT starts_on FROM delivery_rollup
               WHERE ${mine(tenant)} AND span = 'day' AND starts_on >= ${date}::date ORDER BY starts_on LIMIT 1)
              UNION ALL
              (SELECT starts_on FROM event_rollup
               WHERE ${mine(tenant)} AND span = 'day' AND starts_on >= ${date}::date ORDER BY starts_on LIMIT 1)) AS day`),
          ([row]) => row?.date ?? null,
        ),

      rolledOutcomes: (tenant: RollupTenant, date: string) =>
        Effect.orDie(sql<RollupOutcomes>`
          SELECT ${outcomeColumns}, ${asNumber("delivered")} AS delivered, ${asNumber("failed")} AS failed, reached, devices
          FROM delivery_rollup WHERE ${mine(tenant)} AND span = 'day' AND starts_on = ${date}::date`),

      countedOutcomes: (tenant: RollupTenant, fromMs: number, toMs: number) =>
        Effect.orDie(sql<ReportedOutcomes>`
          SELECT ${outcomeColumns}, status, count(*)::int AS count,
            CASE WHEN status = 'delivered' THEN array_send(array_agg(device_key)) END AS devices
          FROM ${outcomes(sql, { fromMs, toMs })} WHERE ${mine(tenant)} AND ${within("settled_at", fromMs, toMs)}
          GROUP BY ${outcomeColumns}, status`),

      pendingOutcomes: (tenant: RollupTenant, fromMs: number, toMs: number) =>
        Effect.orDie(sql<ReportedOutcomes>`
          SELECT ${outcomeColumns}, status, cardinality(device_keys) AS count,
            CASE WHEN status = 'delivered' THEN array_send(device_keys) END AS devices
          FROM delivery_delta WHERE ${mine(tenant)} AND ${within("quarter", fromMs, toMs)}`),

      rolledVisits: (tenant: RollupTenant, date: string) =>
        Effect.orDie(sql<PackedVisits>`
          SELECT visits, devices FROM event_rollup WHERE ${mine(tenant)} AND span = 'day' AND starts_on = ${date}::date`),

      countedVisits: (tenant: RollupTenant, fromMs: number, toMs: number) =>
        Effect.orDie(sql<ReportedTransitions>`
          SELECT location_key, count(*) FILTER (WHERE type = 'enter')::int AS entries,
            count(*) FILTER (WHERE type = 'exit')::int AS exits,
            array_send(array_agg(device_key) FILTER (WHERE type = 'enter')) AS devices
          FROM ${events(sql, { fromMs, toMs })} WHERE ${mine(tenant)} AND ${within("occurred_at", fromMs, toMs)}
          GROUP BY location_key`),

      pendingTransitions: (tenant: RollupTenant, fromMs: number, toMs: number) =>
        Effect.orDie(sql<ReportedTransitions>`
          SELECT fed.location_key, count(*) FILTER (WHERE fed.type = 'enter')::int AS entries,
            count(*) FILTER (WHERE fed.type = 'exit')::int AS exits,
            array_send(array_agg(fed.device_key) FILTER (WHERE fed.type = 'enter')) AS devices
          FROM event_delta, unnest(location_keys, types, device_keys) AS fed (location_key, type, device_key)
          WHERE ${mine(tenant)} AND ${within("quarter", fromMs, toMs)} GROUP BY 1`),

      /**
       * Stays that began in the time, from base rows (contract K5): next exits are found among the events of the time and of a day behind it, and the few that
       * came later are looked up one by one.
       */
      countedStays: (tenant: RollupTenant, fromMs: number, toMs: number) =>
        Effect.orDie(sql<ReportedVisits>`
          SELECT location_key, count(*)::int AS stays, sum(stayed)::int8 AS stayed FROM (
            SELECT location_key,
              extract(epoch FROM COALESCE(next_exit, late_exit) - occurred_at) * 1000000 AS stayed
            FROM (
              SELECT device_key AS entered, location_key, type, occurred_at, min(occurred_at) FILTER (WHERE type = 'exit') OVER (
                PARTITION BY location_key, device_key
                ORDER BY occurred_at DESC GROUPS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS next_exit
              FROM geofence_event
              WHERE ${mine(tenant)} AND ${within("occurred_at", fromMs, toMs + DAY_MS)} AND ${makesStays(sql, mine(tenant))}) AS visit
            LEFT JOIN LATERAL (
              SELECT occurred_at AS late_exit FROM geofence_event
              WHERE ${mine(tenant)} AND device_key = entered AND geofence_event.location_key = visit.location_key AND type = 'exit'
                AND occurred_at >= ${instant(toMs + DAY_MS)} AND ${makesStays(sql, mine(tenant))}
              ORDER BY occurred_at LIMIT 1) AS late ON next_exit IS NULL
            WHERE type = 'enter' AND occurred_at < ${instant(toMs)} AND COALESCE(next_exit, late_exit) IS NOT NULL
            UNION ALL
            SELECT location_key, stayed FROM (${compactedEvents(sql, { fromMs, toMs })}) AS packed
            WHERE ${mine(tenant)} AND ${within("occurred_at", fromMs, toMs)} AND stayed IS NOT NULL) AS stay
          GROUP BY location_key`),

      /** How the events in the feed change the stays that began in the time. */
      pendingVisits: (tenant: RollupTenant, fromMs: number, toMs: number) =>
        Effect.orDie(sql<ReportedVisits>`
          SELECT location_key, ${asNumber("sum(stays)")} AS stays, sum(stayed)::int8 AS stayed
          FROM (${staysChanged(sql, {
            mine: mine(tenant),
            fresh: sql`
              SELECT * FROM (
                SELECT fed.device_key, fed.location_key, fed.id
                FROM event_delta, unnest(device_keys, location_keys, event_ids) AS fed (device_key, location_key, id)
                WHERE ${mine(tenant)}) AS event`,
            later: sql`SELECT 0 AS device_key, NULL::uuid AS id WHERE false`,
            until: sql`'infinity'`,
            entries: within("occurred_at", fromMs, toMs),
          })}) AS changed
          GROUP BY location_key`),

      /** Months (their first days) that have rollups of either kind, of days or of the month, and are to have those of the month. */
      months: (tenant: RollupTenant) =>
        Effect.map(
          Effect.orDie(sql<{ readonly month: string }>`
            SELECT DISTINCT date_trunc('month', starts_on)::date::text AS month FROM (
              SELECT DISTINCT starts_on FROM delivery_rollup WHERE ${mine(tenant)}
              UNION SELECT DISTINCT starts_on FROM event_rollup WHERE ${mine(tenant)}) AS part
            WHERE starts_on < (SELECT months_before FROM rollup_state WHERE ${mine(tenant)}) ORDER BY 1`),
          (rows) => rows.map(({ month }) => month),
        ),

      /** A page of keys of a month after a key, each with what its days say together, and what its own row says. */
      monthOutcomes: (tenant: RollupTenant, month: string, after: OutcomeKey | null, most: number) =>
        Effect.orDie(sql<
          OutcomeKey &
            MonthAndDays<{ delivered: number; failed: number; reached: number }> & {
              readonly day_devices: Uint8Array | null;
              readonly month_devices: Uint8Array | null;
            }
        >`
          WITH page AS (
            SELECT DISTINCT ${outcomeColumns} FROM delivery_rollup
            WHERE ${mine(tenant)} AND ${inMonth(month)} AND ${
              after === null
                ? sql`true`
                : sql`(${outcomeColumns}) > (${after.campaign_key}, ${after.notification_key}, ${after.content_type}, ${after.trigger_type})`
            }
            ORDER BY ${outcomeColumns} LIMIT ${most})
          SELECT ${outcomeColumns},
            json_build_object('delivered', COALESCE(sum(delivered) FILTER (WHERE span = 'day'), 0),
              'failed', COALESCE(sum(failed) FILTER (WHERE span = 'day'), 0), 'reached', 0) AS days,
            json_build_object('delivered', COALESCE(sum(delivered) FILTER (WHERE span = 'month'), 0),
              'failed', COALESCE(sum(failed) FILTER (WHERE span = 'month'), 0),
              'reached', COALESCE(sum(reached) FILTER (WHERE span = 'month'), 0)) AS month,
            string_agg(devices, ''::bytea) FILTER (WHERE span = 'day') AS day_devices,
            string_agg(devices, ''::bytea) FILTER (WHERE span = 'month') AS month_devices
          FROM page JOIN delivery_rollup USING (${outcomeColumns})
          WHERE ${mine(tenant)} AND ${inMonth(month)}
          GROUP BY ${outcomeColumns} ORDER BY ${outcomeColumns}`),

      /** The rows of a month of one block of locations: those of its days, and its own. */
      monthVisits: (tenant: RollupTenant, month: string, block: number) =>
        Effect.orDie(sql<PackedVisits & { readonly span: "day" | "month" }>`
          SELECT span, visits, devices FROM event_rollup
          WHERE ${mine(tenant)} AND block = ${block} AND ${inMonth(month)}`),

      /** Names of campaigns, notifications or locations by their numbers; deleted ones have none. */
      names: (
        tenant: RollupTenant,
        of: "campaign" | "notification" | "location",
        keys: ReadonlyArray<number>,
      ) =>
        Effect.orDie(sql<{ readonly key: number; readonly name: string; readonly id: string }>`
          SELECT key, name, id FROM ${sql(of)} WHERE ${mine(tenant)} AND key = ANY(${arrayOf("int4", keys)})`),

      /** Notes that the rollups are not to be trusted: a worker makes them anew, and reports read base rows until it is done. */
      distrust: (tenant: RollupTenant) =>
        Effect.orDie(sql`UPDATE rollup_state SET timezone = '' WHERE ${mine(tenant)}`),
    };
  }),
}) {
  static readonly layer = Layer.effect(RollupAuditSql, RollupAuditSql.make);
}
