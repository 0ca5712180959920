import { Context, Effect, Layer } from "effect";
import { SqlClient, type Statement } from "effect/sql";
import { arrayOf, asNumber, instant } from "../../database/Rows.ts";
import type { Tenant } from "../../workspaces/Workspace.ts";
import { reportFigures, type ReportScope } from "../ReportFiguresSql.ts";
import { noMonth, type Part } from "./RollupKeys.ts";
import { staysChanged } from "./VisitsSql.ts";
import type { PackedVisits } from "./encoding/LocationBlock.ts";

/** Deliveries of a day (`YYYY-MM-DD`), and how many devices they reached. */
export interface CountedDay {
  readonly date: string;
  readonly delivered: number;
  readonly reached: number;
}

/** Deliveries of one campaign or notification, or of one day, with their devices as sets end to end. */
export interface CountedOutcomes<Key> {
  readonly key: Key;
  readonly delivered: number;
  readonly failed: number;
  readonly devices: Uint8Array;
}

/** Settled deliveries that are in the feed still; `devices` as `array_send` writes them. */
export interface OutcomeCounts {
  readonly quarter: number;
  readonly campaign_key: number;
  readonly notification_key: number;
  readonly status: string;
  readonly devices: Uint8Array;
}

/** Events of a day or a month at a block of locations. */
export interface CountedVisits extends PackedVisits {
  readonly block: number;
}

/** Events of a quarter of an hour at a location that are in the feed still; `devices` as `array_send` writes them. */
export interface TransitionCounts {
  readonly quarter: number;
  readonly location_key: number;
  readonly type: string;
  readonly count: number;
  readonly devices: Uint8Array;
}

/** Every statement that reads rollups and feed for a report: all of one transaction with one snapshot. */
export class RollupReaderSql extends Context.Service<RollupReaderSql>()("waypost/reports/RollupReaderSql", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient;

    const dates = (of: ReadonlyArray<string>) => sql`${arrayOf("text", of)}::date[]`;
    const within = ({ first, last, span }: Part) =>
      sql`span = ${span} AND starts_on >= ${first}::text::date AND starts_on <= ${last}::text::date`;
    const days = ({ range }: ReportScope) =>
      within({ span: "day", first: range.dates[0] ?? "", last: range.dates.at(-1) ?? "" });
    const inRange = (column: string, { range }: ReportScope) =>
      sql`${sql(column)} >= ${instant(range.fromMs)} AND ${sql(column)} < ${instant(range.toMs)}`;
    const quarter = asNumber("extract(epoch FROM quarter) * 1000");
    const all = (scope: ReportScope) => sql`campaign_key = 0 AND notification_key = 0
      AND content_type = ${scope.filters.contentType ?? ""} AND trigger_type = ${scope.filters.activation ?? ""}`;
    /** The rows of these parts of the range. */
    const rowsOf = (parts: ReadonlyArray<Part>, rows: (within: Statement.Fragment) => Statement.Fragment) => {
      const [first, ...rest] = parts.map((part) => rows(within(part)));
      return sql`(${first ?? rows(sql`false`)}${rest.reduce((all, one) => sql`${all} UNION ALL ${one}`, sql``)}) AS part`;
    };

    return {
      /** Makes every statement of this transaction see the same snapshot; its first statement. */
      useOneSnapshot: Effect.orDie(sql`SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY`),

      /** From when on base rows are rolled up (epoch milliseconds): -Infinity if all are, Infinity if none is. No row if the rollups are not by this zone. */
      rolledUpFrom: (tenant: Tenant, timezone: string) =>
        Effect.orDie(sql<{ readonly rolledUpFrom: number }>`
          SELECT ${asNumber("extract(epoch FROM rolled_up_from) * 1000")} AS "rolledUpFrom" FROM rollup_state
          WHERE workspace_id = ${tenant.workspaceId} AND environment = ${tenant.environment}
            AND timezone = ${timezone}`),

      /** The day (`YYYY-MM-DD`, or `-infinity`) that the months begin before which have rows. */
      monthsBefore: (tenant: Tenant) =>
        Effect.map(
          Effect.orDie(sql<{ readonly day: string }>`
            SELECT months_before::text AS day FROM rollup_state
            WHERE workspace_id = ${tenant.workspaceId} AND environment = ${tenant.environment}`),
          ([row]) => row?.day ?? noMonth,
        ),

      /** The days of the range that have deliveries, where no filter is on campaigns. */
      days: (tenant: Tenant, scope: ReportScope) =>
        Effect.orDie(sql<CountedDay>`
          SELECT starts_on::text AS date, ${asNumber("delivered")} AS delivered, reached FROM delivery_rollup
          WHERE ${reportFigures(sql, tenant, scope).mine} AND ${days(scope)} AND ${all(scope)}`),

      /** The devices of some days, where no filter is on campaigns. */
      devicesOfDays: (tenant: Tenant, scope: ReportScope, of: ReadonlyArray<string>) =>
        Effect.orDie(sql<{ readonly date: string; readonly devices: Uint8Array }>`
          SELECT starts_on::text AS date, devices FROM delivery_rollup
          WHERE ${reportFigures(sql, tenant, scope).mine} AND span = 'day' AND starts_on = ANY(${dates(of)})
            AND ${all(scope)}`),

      /** The devices of the parts of the range, where no filter is on campaigns. */
      devicesOfRange: (tenant: Tenant, scope: ReportScope, parts: ReadonlyArray<Part>) =>
        Effect.orDie(sql<{ readonly devices: Uint8Array }>`
          SELECT devices FROM ${rowsOf(
            parts,
            (within) => sql`
              SELECT devices FROM delivery_rollup
              WHERE ${reportFigures(sql, tenant, scope).mine} AND ${within} AND ${all(scope)}`,
          )}`),

      /** Deliveries of each day of the range by the filters. */
      outcomesOfDays: (tenant: Tenant, scope: ReportScope) =>
        Effect.orDie(sql<CountedOutcomes<string>>`
          SELECT starts_on::text AS key, ${asNumber("sum(delivered)")} AS delivered, ${asNumber("sum(failed)")} AS failed,
            string_agg(devices, ''::bytea) AS devices
          FROM delivery_rollup
          WHERE ${reportFigures(sql, tenant, scope).outcomeMatches} AND ${days(scope)} AND campaign_key <> 0
          GROUP BY starts_on`),

      /** Deliveries of the parts of the range by the filters, of each campaign or notification. */
      outcomes: (
        tenant: Tenant,
        scope: ReportScope,
        parts: ReadonlyArray<Part>,
        by: "campaign_key" | "notification_key",
      ) =>
        Effect.orDie(sql<CountedOutcomes<number>>`
          SELECT ${sql(by)} AS key, ${asNumber("sum(delivered)")} AS delivered, ${asNumber("sum(failed)")} AS failed,
            string_agg(devices, ''::bytea) AS devices
          FROM ${rowsOf(
            parts,
            (within) => sql`
              SELECT ${sql(by)}, delivered, failed, devices FROM delivery_rollup
              WHERE ${reportFigures(sql, tenant, scope).outcomeMatches} AND ${within} AND campaign_key <> 0`,
          )} GROUP BY 1`),

      /** Deliveries of the range by the filters that are in the feed. */
      pendingOutcomes: (tenant: Tenant, scope: ReportScope) =>
        Effect.orDie(sql<OutcomeCounts>`
          SELECT ${quarter} AS quarter, campaign_key, notification_key, status, array_send(device_keys) AS devices
          FROM delivery_delta
          WHERE ${reportFigures(sql, tenant, scope).outcomeMatches} AND ${inRange("quarter", scope)}`),

      /** The numbers of the locations that match. */
      locations: (tenant: Tenant, scope: ReportScope) =>
        Effect.map(
          Effect.orDie(sql<{ readonly key: number }>`
            SELECT key FROM location WHERE ${reportFigures(sql, tenant, scope).locationMatches}`),
          (rows) => rows.map(({ key }) => key),
        ),

      /** Events of each day of the range at these blocks of locations, end to end. */
      visitsOfDays: (tenant: Tenant, scope: ReportScope, blocks: ReadonlyArray<number>) =>
        Effect.orDie(sql<{ readonly date: string; readonly visits: Uint8Array }>`
          SELECT starts_on::text AS date, string_agg(visits, ''::bytea) AS visits FROM event_rollup
          WHERE ${reportFigures(sql, tenant, scope).mine} AND ${days(scope)} AND block = ANY(${arrayOf("int4", blocks)})
          GROUP BY starts_on`),

      /** Events of the parts of the range at these blocks of locations. */
      visits: (
        tenant: Tenant,
        scope: ReportScope,
        parts: ReadonlyArray<Part>,
        blocks: ReadonlyArray<number>,
      ) =>
        Effect.orDie(sql<CountedVisits>`
          SELECT block, visits, devices FROM ${rowsOf(
            parts,
            (within) => sql`
              SELECT block, visits, devices FROM event_rollup
              WHERE ${reportFigures(sql, tenant, scope).mine} AND ${within} AND block = ANY(${arrayOf("int4", blocks)})`,
          )}`),

      /** Events of the range at the locations that match that are in the feed. */
      pendingTransitions: (tenant: Tenant, scope: ReportScope) => {
        const { eventMatches, mine } = reportFigures(sql, tenant, scope);
        return Effect.orDie(sql<TransitionCounts>`
          SELECT ${quarter} AS quarter, location_key, type, count(*)::int AS count, array_send(array_agg(device_key)) AS devices
          FROM (
            SELECT workspace_id, environment, quarter, fed.location_key, fed.type, fed.device_key
            FROM event_delta, unnest(location_keys, types, device_keys) AS fed (location_key, type, device_key)
            WHERE ${mine} AND ${inRange("quarter", scope)}) AS event
          WHERE ${eventMatches} GROUP BY quarter, location_key, type`);
      },

      /** How the events in the feed change the stays that began in the range at each of the locations that match. */
      pendingVisits: (tenant: Tenant, scope: ReportScope) => {
        const { locationMatches, mine } = reportFigures(sql, tenant, scope);
        return Effect.orDie(sql<{ readonly key: number; readonly stays: number; readonly stayed: bigint }>`
          SELECT location_key AS key, ${asNumber("sum(stays)")} AS stays, sum(stayed)::int8 AS stayed
          FROM (${staysChanged(sql, {
            mine,
            fresh: sql`
              SELECT * FROM (
                SELECT fed.device_key, fed.location_key, fed.id
                FROM event_delta, unnest(device_keys, location_keys, event_ids) AS fed (device_key, location_key, id)
                WHERE ${mine}) AS event`,
            later: sql`SELECT 0 AS device_key, NULL::uuid AS id WHERE false`,
            until: sql`'infinity'`,
            entries: inRange("occurred_at", scope),
          })}) AS changed
          WHERE location_key IN (SELECT key FROM location WHERE ${locationMatches})
          GROUP BY 1`);
      },
    };
  }),
}) {
  static readonly layer = Layer.effect(RollupReaderSql, RollupReaderSql.make);
}
