import { Clock, Context, Effect, Layer } from "effect";
import { timeSlices } from "../../workers/TimeSlices.ts";
import type { TenantKey } from "../../workspaces/Environment.ts";
import { DeviceTally } from "./encoding/DeviceTally.ts";
import { uniteBlocks } from "./encoding/LocationBlock.ts";
import { InteractionWriter } from "./InteractionWriter.ts";
import { monthAfter, monthOf } from "./RollupKeys.ts";
import { RollupMonthsSql } from "./RollupMonthsSql.ts";
import type { DeliveryAddition, RollupState } from "./RollupTypes.ts";
import { RollupWriter } from "./RollupWriter.ts";

/** The westernmost time zone, in milliseconds behind UTC. */
const maxBehindUtc = 12 * 3_600_000;
/** Campaigns whose days of a month are in memory at the same time. */
const campaignBatch = 20;

/**
 * Rolls up past months from their days. A running month has no rows: no report reads them, and every event
 * would write them again. Late deliveries and events are added to the day and the month.
 */
export class RollupMonths extends Context.Service<RollupMonths>()("waypost/reports/rollups/RollupMonths", {
  make: Effect.gen(function* () {
    const statements = yield* RollupMonthsSql;
    const writer = yield* RollupWriter;
    const interactions = yield* InteractionWriter;

    const addDeliveries = Effect.fnUntraced(function* (tenant: TenantKey, month: string) {
      const tally = new DeviceTally();
      const yieldIfLong = timeSlices();
      const campaigns = yield* statements.campaigns(tenant, month);
      for (let start = 0; start < campaigns.length; start += campaignBatch) {
        const batch = campaigns.slice(start, start + campaignBatch);
        const additions: Array<DeliveryAddition> = [];
        for (const days of yield* statements.deliveries(tenant, month, batch)) {
          tally.clear();
          tally.addSets(days.devices);
          const devices = { reached: tally.count, devices: tally.toSet() };
          additions.push({ ...days, span: "month", startsOn: month, ...devices });
          yield* yieldIfLong;
        }
        yield* writer.addDeliveries(tenant, additions);
      }
    });

    const addEvents = Effect.fnUntraced(function* (tenant: TenantKey, month: string) {
      const tally = new DeviceTally();
      for (const block of yield* statements.eventBlocks(tenant, month)) {
        const sum = uniteBlocks(yield* statements.blocks(tenant, month, block), tally);
        yield* writer.addEvents(tenant, [{ span: "month", startsOn: month, block, ...sum }]);
        yield* Effect.yieldNow;
      }
    });

    return {
      /** The first day of the first month that may not have ended in every time zone. */
      running: Effect.map(Clock.currentTimeMillis, (now) =>
        monthOf(new Date(now - maxBehindUtc).toISOString().slice(0, 10)),
      ),

      /**
       * Rolls up the next month before `running`, in the transaction of `RollupStateSql.lock`. Gives the day
       * before which all months have rows then; null if no month is left.
       */
      rollUpNext: Effect.fnUntraced(function* (
        tenant: TenantKey,
        { monthsBefore }: RollupState,
        running: string,
      ) {
        if (monthsBefore >= running) return null;
        const first = yield* statements.firstDay(tenant, monthsBefore);
        if (first === null || first >= running) return running;
        const month = monthOf(first);
        yield* addDeliveries(tenant, month);
        yield* addEvents(tenant, month);
        yield* interactions.addMonth(tenant, month);
        return monthAfter(month);
      }),
    };
  }),
}) {
  static readonly layer = Layer.effect(RollupMonths, RollupMonths.make).pipe(
    Layer.provide([RollupMonthsSql.layer, RollupWriter.layer, InteractionWriter.layer]),
  );
}
