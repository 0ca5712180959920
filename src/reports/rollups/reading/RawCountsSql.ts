import { Effect } from "effect";
import type { SqlClient, Statement } from "effect/sql";
import { arrayOf, asNumber } from "../../../database/Rows.ts";
import { SqlService } from "../../../database/SqlService.ts";
import type { Tenant } from "../../../workspaces/Workspace.ts";
import { reportConditions, type ReportScope } from "../../ReportConditionsSql.ts";
import { compactedEvents, events, isVisitBoundary, outcomes } from "../../SourceRowsSql.ts";
import type { OutcomeGroup, TransitionGroup, VisitChange } from "../RollupTypes.ts";

/** How deliveries are grouped. */
export type OutcomeGrouping = "day" | "campaign_key" | "notification_key";

/** The columns `entries` and `exits` of a `TransitionGroup`, over `type`. */
export const entriesAndExits = (sql: SqlClient.SqlClient): Statement.Fragment => sql`
  (count(*) FILTER (WHERE type = 'enter'))::int AS entries,
  (count(*) FILTER (WHERE type = 'exit'))::int AS exits`;

/** The column `devices` of a `TransitionGroup`, over `type` and `device_key`. */
export const enteredDevices = (sql: SqlClient.SqlClient): Statement.Fragment => sql`
  COALESCE(array_send(array_agg(device_key) FILTER (WHERE type = 'enter')), '') AS devices`;

/**
 * The statements that count source rows which are in no rollups: all of them before the first rollup, the
 * older ones during a rebuild. They answer the same groups as the pending deltas do, so that both are added
 * up alike. Each takes a scope that is cut to the time before the rollups. Bound: a quarter of an hour,
 * campaign or location of 366 days a row.
 */
export class RawCountsSql extends SqlService<RawCountsSql>("waypost/reports/rollups/reading/RawCountsSql")(
  (sql) => {
    /** The start of a row's day in epoch milliseconds. */
    const dayOf = ({ range }: ReportScope, column: string): Statement.Fragment => {
      const bucket = sql`width_bucket(${sql(column)}, ${arrayOf("timestamptz", range.dayStarts)})`;
      return sql`(${arrayOf("float8", range.dayStarts)})[${bucket}]`;
    };

    /**
     * Events at matching locations from the range's start on, for a `FROM`, each with the `next_exit` that
     * may have followed it: the earliest later one. The window runs backwards, so that it reads each event
     * once (K5).
     */
    const eventsWithExits = (tenant: Tenant, scope: ReportScope): Statement.Fragment => {
      const { eventFollows, mine } = reportConditions(sql, tenant, scope);
      return sql`(
        SELECT workspace_id, environment, device_key, location_key, type, occurred_at,
          CASE WHEN is_boundary THEN min(occurred_at) FILTER (WHERE type = 'exit' AND is_boundary) OVER (
            PARTITION BY location_key, device_key
            ORDER BY occurred_at DESC GROUPS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) END AS next_exit
        FROM (
          SELECT *, ${isVisitBoundary(sql, mine)} AS is_boundary
          FROM geofence_event WHERE ${eventFollows}) AS stored
        UNION ALL
        SELECT workspace_id, environment, device_key, location_key, type, occurred_at,
          occurred_at + visit_micros * interval '1 microsecond'
        FROM (${compactedEvents(sql, scope.range)}) AS compacted) AS visit`;
    };

    return {
      /**
       * Deliveries of the range by the filters, of notifications failed ones too. `quarter` is the start of
       * the day where they are grouped by day; keys that they are not grouped by are 0.
       */
      outcomes: (tenant: Tenant, scope: ReportScope, by: OutcomeGrouping) => {
        const { deliveryCounts, outcomeCounts } = reportConditions(sql, tenant, scope);
        const key = (column: OutcomeGrouping) =>
          by === column ? sql`${sql(column)}` : sql`0 AS ${sql(column)}`;
        return Effect.orDie(sql<OutcomeGroup>`
          SELECT quarter, campaign_key, notification_key, status,
            array_send(array_agg(device_key)) AS devices
          FROM (
            SELECT device_key, status, ${key("campaign_key")}, ${key("notification_key")},
              ${by === "day" ? dayOf(scope, "settled_at") : sql`0::float8`} AS quarter
            FROM ${outcomes(sql, scope.range)}
            WHERE ${by === "notification_key" ? outcomeCounts : deliveryCounts}) AS counted
          GROUP BY quarter, campaign_key, notification_key, status`);
      },

      /** Events of each day of the range at matching locations; without devices. */
      transitionsOfDays: (tenant: Tenant, scope: ReportScope) =>
        Effect.orDie(sql<Omit<TransitionGroup, "location_key" | "devices">>`
          SELECT quarter, ${entriesAndExits(sql)}
          FROM (
            SELECT type, ${dayOf(scope, "occurred_at")} AS quarter
            FROM ${events(sql, scope.range)}
            WHERE ${reportConditions(sql, tenant, scope).eventCounts}) AS counted
          GROUP BY quarter`),

      /** Events of the range at each matching location, with the visits that entries began. */
      transitions: (tenant: Tenant, scope: ReportScope) =>
        Effect.orDie(sql<TransitionGroup & VisitChange>`
          SELECT 0::float8 AS quarter, location_key, ${entriesAndExits(sql)}, ${enteredDevices(sql)},
            ${asNumber("count(next_exit) FILTER (WHERE type = 'enter')")} AS visits,
            (COALESCE(sum(extract(epoch FROM next_exit - occurred_at)) FILTER (WHERE type = 'enter'), 0)
              * 1000000)::int8 AS "visitMicros"
          FROM ${eventsWithExits(tenant, scope)}
          WHERE ${reportConditions(sql, tenant, scope).eventCounts}
          GROUP BY location_key`),
    };
  },
) {}
