import { Clock, Context, Effect, Layer } from "effect";
import { DeviceTally } from "./encoding/DeviceSet.ts";
import { timeSlices } from "../../workers/TimeSlices.ts";
import { monthAfter, monthOf } from "./RollupKeys.ts";
import { RollupMonthsSql } from "./RollupMonthsSql.ts";
import type { DeliveryAddition, RollupState, WaitingTenant } from "./RollupTypes.ts";
import { RollupWriter } from "./RollupWriter.ts";
import { allTogether, everyBlock, uniteVisits } from "./encoding/LocationBlock.ts";

/** No zone is further behind UTC. */
const furthestBehind = 12 * 3_600_000;
/** Campaigns whose days of a month are held in memory at once. */
const campaignsAtOnce = 20;

/**
 * Adds up the days of months that are over: until then nobody reads a month's rows, and they would be written again with every event. What comes late is
 * added to the day and the month.
 */
export class RollupMonths extends Context.Service<RollupMonths>()("waypost/reports/RollupMonths", {
  make: Effect.gen(function* () {
    const repository = yield* RollupMonthsSql;
    const writer = yield* RollupWriter;
    const newRow = () => true;

    const addOutcomes = Effect.fnUntraced(function* (tenant: WaitingTenant, month: string) {
      const tally = new DeviceTally();
      const yieldIfLong = timeSlices();
      const campaigns = yield* repository.campaigns(tenant, month);
      for (let at = 0; at < campaigns.length; at += campaignsAtOnce) {
        const some = campaigns.slice(at, at + campaignsAtOnce);
        const additions: Array<DeliveryAddition> = [];
        for (const days of yield* repository.outcomes(tenant, month, some)) {
          tally.clear();
          tally.addSets(days.devices);
          additions.push({
            ...days,
            span: "month",
            startsOn: month,
            reached: tally.count,
            devices: tally.toSet(),
          });
          yield* yieldIfLong;
        }
        yield* writer.addDeliveries(tenant, additions, newRow);
      }
    });

    const addVisits = Effect.fnUntraced(function* (tenant: WaitingTenant, month: string) {
      const tally = new DeviceTally();
      for (const block of [allTogether, ...everyBlock]) {
        const days = yield* repository.blocks(tenant, month, block);
        if (days.length === 0) continue;
        const sum = uniteVisits(days, tally);
        yield* writer.addEvents(tenant, [{ span: "month", startsOn: month, block, ...sum }], newRow);
        yield* Effect.yieldNow;
      }
    });

    return {
      /** The first day of the first month that may not be over yet somewhere. */
      over: Effect.map(Clock.currentTimeMillis, (now) =>
        monthOf(new Date(now - furthestBehind).toISOString().slice(0, 10)),
      ),

      /**
       * Adds up the next month that is over, once all days are complete, and tells before which day all months have rows now; null if there is no such month. In
       * the transaction that holds the rollups.
       */
      next: Effect.fnUntraced(function* (tenant: WaitingTenant, { monthsBefore }: RollupState, over: string) {
        if (monthsBefore >= over) return null;
        const first = yield* repository.firstDay(tenant, monthsBefore);
        if (first === null || first >= over) return over;
        const month = monthOf(first);
        yield* repository.clear(tenant, month);
        yield* addOutcomes(tenant, month);
        yield* addVisits(tenant, month);
        return monthAfter(month);
      }),
    };
  }),
}) {
  static readonly layer = Layer.effect(RollupMonths, RollupMonths.make).pipe(
    Layer.provide([RollupMonthsSql.layer, RollupWriter.layer]),
  );
}
