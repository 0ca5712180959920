import { Context, Effect, Layer } from "effect";
import { SqlClient, type Statement } from "effect/sql";
import { arrayOf, asNumber } from "../database/Rows.ts";
import type { Tenant } from "../workspaces/Workspace.ts";
import { events, outcomes } from "./SourceRowsSql.ts";
import { staysOfEntries } from "./ReportCountsSql.ts";
import { reportFigures, type ReportScope } from "./ReportFiguresSql.ts";
import type { OutcomeCounts, TransitionCounts } from "./rollups/RollupReaderSql.ts";

/** By what deliveries are told apart. */
export type OutcomeGroup = "day" | "campaign_key" | "notification_key";

/**
 * Every statement that counts, while rollups are made anew, the base rows that are in none yet; told as the feed tells what it holds, with the beginning of
 * the day for a quarter of an hour. Each takes a scope that is cut to the time before the rollups.
 */
export class RawCountsSql extends Context.Service<RawCountsSql>()("waypost/reports/RawCountsSql", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient;
    /** The beginning of the row's day in epoch milliseconds, or 0 where days are not told apart. */
    const day = ({ range }: ReportScope, column: string, isAsked: boolean): Statement.Fragment =>
      isAsked
        ? sql`(${arrayOf("float8", range.dayStarts)})[width_bucket(${sql(column)}, ${arrayOf("timestamptz", range.dayStarts)})]`
        : sql`0::float8`;

    return {
      /** Deliveries of the range by the filters, of notifications failed ones too, with the numbers by which they are told apart; the others are 0. */
      outcomes: (tenant: Tenant, scope: ReportScope, by: OutcomeGroup) => {
        const { deliveryCounts, outcomeCounts } = reportFigures(sql, tenant, scope);
        const key = (column: OutcomeGroup) =>
          by === column ? sql`${sql(column)}` : sql`0 AS ${sql(column)}`;
        return Effect.orDie(sql<OutcomeCounts>`
            SELECT quarter, campaign_key, notification_key, status, array_send(array_agg(device_key)) AS devices
            FROM (
              SELECT device_key, status, ${key("campaign_key")}, ${key("notification_key")},
                ${day(scope, "settled_at", by === "day")} AS quarter
              FROM ${outcomes(sql, scope.range)} WHERE ${by === "notification_key" ? outcomeCounts : deliveryCounts}) AS counted
            GROUP BY quarter, campaign_key, notification_key, status`);
      },

      /** Events of each day of the range at the locations that match; without devices. */
      visitsOfDays: (tenant: Tenant, scope: ReportScope) =>
        Effect.orDie(sql<TransitionCounts>`
            SELECT quarter, 0 AS location_key, type, count(*)::int AS count, ''::bytea AS devices
            FROM (
              SELECT type, ${day(scope, "occurred_at", true)} AS quarter
              FROM ${events(sql, scope.range)} WHERE ${reportFigures(sql, tenant, scope).eventCounts}) AS counted
            GROUP BY quarter, type`),

      /** Events of the range at each of the locations that match, with the devices that entered. */
      visits: (tenant: Tenant, scope: ReportScope) =>
        Effect.orDie(sql<TransitionCounts>`
            SELECT 0::float8 AS quarter, location_key, type, count(*)::int AS count, array_send(array_agg(device_key)) AS devices
            FROM ${events(sql, scope.range)} WHERE ${reportFigures(sql, tenant, scope).eventCounts}
            GROUP BY location_key, type`),

      /** The stays that began in the range at each of the locations that match; `stayed` is in microseconds. */
      stays: (tenant: Tenant, scope: ReportScope) =>
        Effect.orDie(sql<{ readonly key: number; readonly stays: number; readonly stayed: bigint }>`
            SELECT location_key AS key, ${asNumber("count(next_exit)")} AS stays,
              (COALESCE(sum(extract(epoch FROM next_exit - occurred_at)), 0) * 1000000)::int8 AS stayed
            FROM ${staysOfEntries(sql, tenant, scope)} WHERE type = 'enter' AND ${reportFigures(sql, tenant, scope).eventCounts}
            GROUP BY location_key`),
    };
  }),
}) {
  static readonly layer = Layer.effect(RawCountsSql, RawCountsSql.make);
}
