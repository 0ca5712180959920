import { Effect } from "effect";
import { arrayOf, asNumber } from "../../database/Rows.ts";
import { SqlService } from "../../database/SqlService.ts";
import { columnValues, onlyValue } from "../../database/Statements.ts";
import { inTenant } from "../../database/TenantColumns.ts";
import type { TenantKey } from "../../workspaces/Environment.ts";
import type { LocationBlock } from "./encoding/LocationBlock.ts";
import type { DeliveryKey, DeliveryAddition } from "./RollupTypes.ts";

/** Days of one key together, their sets of devices end to end. */
type DeliveryDays = Omit<DeliveryKey, "span" | "startsOn"> &
  Pick<DeliveryAddition, "delivered" | "failed" | "devices">;

/** The statements that read the days of a month, in the transaction of `RollupStateSql.lock`. */
export class RollupMonthsSql extends SqlService<RollupMonthsSql>("waypost/reports/rollups/RollupMonthsSql")(
  // Bound: a month of 20 campaigns, or of 1 block of locations.
  (sql) => {
    const days = (tenant: TenantKey) => sql`${inTenant(tenant)} AND span = 'day'`;
    const daysOf = (tenant: TenantKey, month: string) => sql`${days(tenant)}
      AND starts_on >= ${month}::text::date AND starts_on < ${month}::text::date + interval '1 month'`;

    return {
      /** The first day from a date on that has rows; null if none has. */
      firstDay: (tenant: TenantKey, date: string) =>
        onlyValue(sql<{ readonly date: string | null }>`
          SELECT min(starts_on)::text AS date FROM (
            (SELECT starts_on FROM delivery_rollup
             WHERE ${days(tenant)} AND campaign_key = 0 AND starts_on >= ${date}::text::date
             ORDER BY starts_on LIMIT 1)
            UNION ALL
            (SELECT starts_on FROM event_rollup
             WHERE ${days(tenant)} AND block = 0 AND starts_on >= ${date}::text::date
             ORDER BY starts_on LIMIT 1)
            UNION ALL
            -- Every answer has a response on its day.
            (SELECT starts_on FROM interaction_rollup
             WHERE ${days(tenant)} AND starts_on >= ${date}::text::date
             ORDER BY starts_on LIMIT 1)) AS first`),

      /** The keys of the campaigns that have days in a month; 0 stands for all of them. */
      campaigns: (tenant: TenantKey, month: string) =>
        columnValues(sql<{ readonly key: number }>`
          SELECT DISTINCT campaign_key AS key FROM delivery_rollup WHERE ${daysOf(tenant, month)}`),

      /** The days of a month of these campaigns, those of each key together. */
      deliveries: (tenant: TenantKey, month: string, campaigns: ReadonlyArray<number>) =>
        Effect.orDie(sql<DeliveryDays>`
          SELECT campaign_key AS "campaignKey", notification_key AS "notificationKey",
            content_type AS "contentType", trigger_type AS "triggerType",
            ${asNumber("sum(delivered)")} AS delivered, ${asNumber("sum(failed)")} AS failed,
            string_agg(devices, ''::bytea) AS devices
          FROM delivery_rollup
          WHERE ${daysOf(tenant, month)} AND campaign_key = ANY(${arrayOf("int4", campaigns)})
          GROUP BY 1, 2, 3, 4`),

      /** The blocks of locations that have days in a month; `allLocations` stands for all of them. */
      eventBlocks: (tenant: TenantKey, month: string) =>
        columnValues(sql<{ readonly block: number }>`
          SELECT DISTINCT block FROM event_rollup WHERE ${daysOf(tenant, month)} ORDER BY block`),

      /** The days of a month of a block of locations. */
      blocks: (tenant: TenantKey, month: string, block: number) =>
        Effect.orDie(sql<LocationBlock>`
          SELECT figures, devices FROM event_rollup WHERE ${daysOf(tenant, month)} AND block = ${block}`),
    };
  },
) {}
