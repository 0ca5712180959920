import { Context, Effect, Layer } from "effect";
import { SqlClient } from "effect/sql";
import { arrayOf, asNumber } from "../../database/Rows.ts";
import type { RollupTenant } from "./RollupTypes.ts";
import type { PackedVisits } from "./encoding/LocationBlock.ts";

/** Days of one key together, their sets of devices end to end. */
export interface DaysOfOutcomes {
  readonly campaignKey: number;
  readonly notificationKey: number;
  readonly contentType: string;
  readonly triggerType: string;
  readonly delivered: number;
  readonly failed: number;
  readonly devices: Uint8Array;
}

/** Every statement that reads the days of a month, to add them up. All belong into one transaction with one snapshot, that of `RollupsSql.hold`. */
export class RollupMonthsSql extends Context.Service<RollupMonthsSql>()("waypost/reports/RollupMonthsSql", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient;
    const mine = ({ environment, workspaceId }: RollupTenant) =>
      sql`workspace_id = ${workspaceId} AND environment = ${environment}`;
    const days = (tenant: RollupTenant) => sql`${mine(tenant)} AND span = 'day'`;
    const ofMonth = (month: string) =>
      sql`starts_on >= ${month}::text::date AND starts_on < ${month}::text::date + interval '1 month'`;

    return {
      /** The first day from a date on that has rows; null if none has. */
      firstDay: (tenant: RollupTenant, date: string) =>
        Effect.map(
          Effect.orDie(sql<{ readonly date: string | null }>`
            SELECT min(starts_on)::text AS date FROM (
              (SELECT starts_on FROM delivery_rollup
               WHERE ${days(tenant)} AND campaign_key = 0 AND starts_on >= ${date}::text::date ORDER BY starts_on LIMIT 1)
              UNION ALL
              (SELECT starts_on FROM event_rollup
               WHERE ${days(tenant)} AND block = 0 AND starts_on >= ${date}::text::date ORDER BY starts_on LIMIT 1)) AS first`),
          ([row]) => row?.date ?? null,
        ),

      /** Deletes rows of a month that are of no use: a process of the version before, which had one for every month, may have made them. */
      clear: (tenant: RollupTenant, month: string) =>
        Effect.orDie(
          Effect.forEach(
            ["delivery_rollup", "event_rollup"],
            (table) => sql`
            DELETE FROM ${sql(table)} WHERE ${mine(tenant)} AND span = 'month' AND starts_on = ${month}::text::date`,
          ),
        ),

      /** The campaigns that have days in a month; 0 stands for all of them. */
      campaigns: (tenant: RollupTenant, month: string) =>
        Effect.map(
          Effect.orDie(sql<{ readonly key: number }>`
            SELECT DISTINCT campaign_key AS key FROM delivery_rollup WHERE ${days(tenant)} AND ${ofMonth(month)}`),
          (rows) => rows.map(({ key }) => key),
        ),

      /** The days of a month of these campaigns, those of each key together. */
      outcomes: (tenant: RollupTenant, month: string, campaigns: ReadonlyArray<number>) =>
        Effect.orDie(sql<DaysOfOutcomes>`
          SELECT campaign_key AS "campaignKey", notification_key AS "notificationKey", content_type AS "contentType",
            trigger_type AS "triggerType", ${asNumber("sum(delivered)")} AS delivered, ${asNumber("sum(failed)")} AS failed,
            string_agg(devices, ''::bytea) AS devices
          FROM delivery_rollup
          WHERE ${days(tenant)} AND ${ofMonth(month)} AND campaign_key = ANY(${arrayOf("int4", campaigns)})
          GROUP BY 1, 2, 3, 4`),

      /** The days of a month of a block of locations. */
      blocks: (tenant: RollupTenant, month: string, block: number) =>
        Effect.orDie(sql<PackedVisits>`
          SELECT visits, devices FROM event_rollup WHERE ${days(tenant)} AND block = ${block} AND ${ofMonth(month)}`),
    };
  }),
}) {
  static readonly layer = Layer.effect(RollupMonthsSql, RollupMonthsSql.make);
}
