import { Effect } from "effect";
import { asNumber, epochMillis } from "../../../database/Rows.ts";
import { SqlService } from "../../../database/SqlService.ts";
import type { Tenant } from "../../../workspaces/Workspace.ts";
import { reportConditions, type ReportScope } from "../../ReportConditionsSql.ts";
import { dayOf, outcomes, within } from "../../SourceRowsSql.ts";
import type { RollupPart } from "../RollupKeys.ts";
import type { OutcomeGroup } from "../RollupTypes.ts";
import { isDayOf, isOneOf, rowsOfParts } from "./RollupPartsSql.ts";

/** Rollups of a campaign, a notification or a day. `devices` holds their sets end to end. */
export interface RollupOutcomes<Key> {
  readonly key: Key;
  readonly delivered: number;
  readonly failed: number;
  readonly devices: Uint8Array;
}

/** How deliveries are grouped. */
export type OutcomeGrouping = "day" | "campaign_key" | "notification_key";

/** The statements that count deliveries: in rollups, deltas, source rows; in one transaction and snapshot. */
export class DeliveryReaderSql extends SqlService<DeliveryReaderSql>(
  "waypost/reports/rollups/reading/DeliveryReaderSql",
)((sql) => {
  // Bound: 366 days of the plan's campaigns, in time slices.
  const mine = (tenant: Tenant, scope: ReportScope) => reportConditions(sql, tenant, scope).mine;
  const matches = (tenant: Tenant, scope: ReportScope) => reportConditions(sql, tenant, scope).outcomeMatches;
  /** The row over all campaigns; '' stands for any content type or trigger. */
  const allCampaigns = ({ filters }: ReportScope) => sql`campaign_key = 0 AND notification_key = 0
    AND content_type = ${filters.contentType ?? ""} AND trigger_type = ${filters.activation ?? ""}`;
  const sums = sql`${asNumber("sum(delivered)")} AS delivered, ${asNumber("sum(failed)")} AS failed,
    string_agg(devices, ''::bytea) AS devices`;

  return {
    /** The days of the range that have deliveries, where no filter is on campaigns. */
    days: (tenant: Tenant, scope: ReportScope) =>
      Effect.orDie(sql<{ readonly date: string; readonly delivered: number; readonly reached: number }>`
        SELECT starts_on::text AS date, ${asNumber("delivered")} AS delivered, reached
        FROM delivery_rollup
        WHERE ${mine(tenant, scope)} AND ${isDayOf(sql, scope)} AND ${allCampaigns(scope)}`),

    /** The devices of some days, where no filter is on campaigns. */
    devicesOfDays: (tenant: Tenant, scope: ReportScope, dates: ReadonlyArray<string>) =>
      Effect.orDie(sql<{
        readonly date: string;
        readonly delivered: number;
        readonly devices: Uint8Array;
      }>`
        SELECT starts_on::text AS date, ${asNumber("delivered")} AS delivered, devices
        FROM delivery_rollup
        WHERE ${mine(tenant, scope)} AND ${isOneOf(sql, dates)} AND ${allCampaigns(scope)}`),

    /** The devices of the parts of the range, where no filter is on campaigns. */
    devicesOfRange: (tenant: Tenant, scope: ReportScope, parts: ReadonlyArray<RollupPart>) =>
      Effect.orDie(sql<{ readonly devices: Uint8Array }>`
        SELECT devices FROM ${rowsOfParts(
          sql,
          parts,
          (isInPart) => sql`
            SELECT devices FROM delivery_rollup
            WHERE ${mine(tenant, scope)} AND ${isInPart} AND ${allCampaigns(scope)}`,
        )}`),

    /** Deliveries of each day of the range by the filters. */
    outcomesOfDays: (tenant: Tenant, scope: ReportScope) =>
      Effect.orDie(sql<RollupOutcomes<string>>`
        SELECT starts_on::text AS key, ${sums} FROM delivery_rollup
        WHERE ${matches(tenant, scope)} AND ${isDayOf(sql, scope)} AND campaign_key <> 0
        GROUP BY starts_on`),

    /** Deliveries of the parts of the range by the filters, of each campaign or notification. */
    outcomes: (
      tenant: Tenant,
      scope: ReportScope,
      parts: ReadonlyArray<RollupPart>,
      by: "campaign_key" | "notification_key",
    ) =>
      Effect.orDie(sql<RollupOutcomes<number>>`
        SELECT ${sql(by)} AS key, ${sums}
        FROM ${rowsOfParts(
          sql,
          parts,
          (isInPart) => sql`
            SELECT ${sql(by)}, delivered, failed, devices FROM delivery_rollup
            WHERE ${matches(tenant, scope)} AND ${isInPart} AND campaign_key <> 0`,
        )} GROUP BY 1`),

    /** Pending deltas of the range by the filters. */
    pendingOutcomes: (tenant: Tenant, scope: ReportScope) =>
      Effect.orDie(sql<OutcomeGroup>`
        SELECT ${epochMillis("quarter")} AS quarter, campaign_key,
          notification_key, status, array_send(device_keys) AS devices
        FROM delivery_delta
        WHERE ${matches(tenant, scope)} AND ${within(sql, "quarter", scope.range)}`),

    /**
     * Deliveries of source rows that are in no rollups, as groups like the pending deltas; of notifications
     * failed ones too. `quarter` is the start of the day where they are grouped by day; keys that they are
     * not grouped by are 0.
     */
    sourceOutcomes: (tenant: Tenant, scope: ReportScope, by: OutcomeGrouping) => {
      const { deliveryCounts, outcomeCounts } = reportConditions(sql, tenant, scope);
      const key = (column: OutcomeGrouping) =>
        by === column ? sql`${sql(column)}` : sql`0 AS ${sql(column)}`;
      return Effect.orDie(sql<OutcomeGroup>`
        SELECT quarter, campaign_key, notification_key, status,
          array_send(array_agg(device_key)) AS devices
        FROM (
          SELECT device_key, status, ${key("campaign_key")}, ${key("notification_key")},
            ${by === "day" ? dayOf(sql, "settled_at", scope.range.dayStarts) : sql`0::float8`} AS quarter
          FROM ${outcomes(sql, scope.range)}
          WHERE ${by === "notification_key" ? outcomeCounts : deliveryCounts}) AS counted
        GROUP BY quarter, campaign_key, notification_key, status`);
    },
  };
}) {}
