import { Context, Effect, Layer } from "effect";
import { runSliced, type Sliced, timeSlices } from "../../../workers/TimeSlices.ts";
import type { Tenant } from "../../../workspaces/Workspace.ts";
import type { DeliveryCounts, OutcomeCounts, SummaryCounts } from "../../ReportCounts.ts";
import { filtersItems } from "../../ReportQuery.ts";
import { integersOf } from "../encoding/BinaryArrays.ts";
import { DeviceTally } from "../encoding/DeviceTally.ts";
import { datesIn } from "../RollupKeys.ts";
import type { OutcomeGroup } from "../RollupTypes.ts";
import { DeliveryReaderSql, type OutcomeGrouping, type RollupOutcomes } from "./DeliveryReaderSql.ts";
import type { ScopeSplit } from "./ScopeSplit.ts";

/**
 * Adds up the deliveries and distinct devices of each day of a range. First come the groups that are not in
 * the rollups (`addGroup`), then the rows of the rollups (`setDay`, `addDay`, `addRange`); `finish` counts
 * the days that have groups only. A group is counted with the row of its day, so that the day's devices are
 * counted once.
 */
class DailyDeliveries {
  readonly #days: Map<string, DeliveryCounts>;
  readonly #groups = new Map<string, Array<Int32Array>>();
  readonly #day = new DeviceTally();
  readonly #range = new DeviceTally();

  constructor(dates: ReadonlyArray<string>) {
    this.#days = new Map(dates.map((date) => [date, { delivered: 0, reached: 0 }]));
  }

  /** Adds deliveries of a day that are not in the rollups, by their devices. */
  addGroup(date: string, devices: Int32Array): void {
    const groups = this.#groups.get(date);
    if (groups === undefined) this.#groups.set(date, [devices]);
    else groups.push(devices);
  }

  /** The days whose groups are not counted yet. */
  get openDates(): ReadonlyArray<string> {
    return [...this.#groups.keys()];
  }

  /** Sets the counts of a day that its rollup holds. Of a day with groups, `addDay` must follow. */
  setDay(date: string, counts: DeliveryCounts): void {
    this.#days.set(date, counts);
  }

  /** Counts a day: the deliveries and sets of devices (end to end) of its rollups, and its groups. */
  addDay(date: string, delivered: number, sets: Uint8Array): void {
    this.#day.clear();
    this.#day.addSets(sets, this.#range);
    let count = delivered;
    for (const devices of this.#groups.get(date) ?? []) {
      for (const key of devices) {
        this.#day.add(key);
        this.#range.add(key);
      }
      count += devices.length;
    }
    this.#days.set(date, { delivered: count, reached: this.#day.count });
    this.#groups.delete(date);
  }

  /** Counts devices of the range: sets that lie end to end. */
  addRange(sets: Uint8Array): void {
    this.#range.addSets(sets);
  }

  /** Counts the days without rollups, and gives the counts. */
  *finish(): Sliced<SummaryCounts["deliveries"]> {
    for (const date of this.openDates) {
      this.addDay(date, 0, new Uint8Array());
      yield;
    }
    const days = [...this.#days.values()];
    const delivered = days.reduce((sum, day) => sum + day.delivered, 0);
    return { total: { delivered, reached: this.#range.count }, days };
  }
}

/** Adds groups to the rollups of a campaign or notification. Replaces the content of the tally. */
const addedUp = (
  { delivered, devices, failed, key }: RollupOutcomes<number>,
  groups: ReadonlyArray<OutcomeGroup>,
  tally: DeviceTally,
): OutcomeCounts => {
  tally.clear();
  tally.addSets(devices);
  const counts = { key, delivered, failed, reached: 0 };
  for (const group of groups) {
    const keys = integersOf(group.devices);
    if (group.status === "delivered") {
      counts.delivered += keys.length;
      for (const device of keys) tally.add(device);
    } else counts.failed += keys.length;
  }
  counts.reached = tally.count;
  return counts;
};

/** The row of a campaign or notification that has no rollups. */
const emptyRow = (key: number): RollupOutcomes<number> => ({
  key,
  delivered: 0,
  failed: 0,
  devices: new Uint8Array(),
});

/** Counts deliveries and the distinct devices that they reached: by day, campaign or notification. */
export class DeliveryReader extends Context.Service<DeliveryReader>()(
  "waypost/reports/rollups/reading/DeliveryReader",
  {
    make: Effect.gen(function* () {
      const rollups = yield* DeliveryReaderSql;

      /** Deliveries that are not in the rollups: of pending deltas, and of source rows. */
      const groupsOf = Effect.fnUntraced(function* (
        tenant: Tenant,
        { raw, rolledUp }: ScopeSplit,
        by: OutcomeGrouping,
      ) {
        return [
          ...(rolledUp === undefined ? [] : yield* rollups.pendingOutcomes(tenant, rolledUp)),
          ...(raw === undefined ? [] : yield* rollups.sourceOutcomes(tenant, raw, by)),
        ];
      });

      /** Deliveries of the range and of each of its days. */
      const daily = Effect.fnUntraced(function* (tenant: Tenant, split: ScopeSplit) {
        const days = new DailyDeliveries(split.scope.range.dates);
        const dateOf = datesIn(tenant.workspace.timezone);
        const yieldIfLong = timeSlices();
        for (const { devices, quarter, status } of yield* groupsOf(tenant, split, "day")) {
          if (status === "delivered") days.addGroup(dateOf(quarter), integersOf(devices));
          yield* yieldIfLong;
        }
        const { rolledUp } = split;
        if (rolledUp !== undefined && filtersItems(rolledUp.filters)) {
          for (const { delivered, devices, key } of yield* rollups.outcomesOfDays(tenant, rolledUp)) {
            days.addDay(key, delivered, devices);
            yield* yieldIfLong;
          }
        } else if (rolledUp !== undefined) {
          for (const { date, delivered, reached } of yield* rollups.days(tenant, rolledUp)) {
            days.setDay(date, { delivered, reached });
          }
          if (days.openDates.length > 0) {
            for (const day of yield* rollups.devicesOfDays(tenant, rolledUp, days.openDates)) {
              days.addDay(day.date, day.delivered, day.devices);
              yield* yieldIfLong;
            }
          }
          for (const { devices } of yield* rollups.devicesOfRange(tenant, rolledUp, split.parts)) {
            days.addRange(devices);
            yield* yieldIfLong;
          }
        }
        return yield* runSliced(days.finish());
      });

      /** Deliveries and failed sends of each campaign or notification. */
      const byKey = Effect.fnUntraced(function* (
        tenant: Tenant,
        split: ScopeSplit,
        by: "campaign_key" | "notification_key",
      ) {
        const groups = Map.groupBy(yield* groupsOf(tenant, split, by), (group) => group[by]);
        const counts: Array<OutcomeCounts> = [];
        const tally = new DeviceTally();
        const yieldIfLong = timeSlices();
        if (split.rolledUp !== undefined) {
          for (const row of yield* rollups.outcomes(tenant, split.rolledUp, split.parts, by)) {
            counts.push(addedUp(row, groups.get(row.key) ?? [], tally));
            groups.delete(row.key);
            yield* yieldIfLong;
          }
        }
        for (const [key, rest] of groups) {
          counts.push(addedUp(emptyRow(key), rest, tally));
          yield* yieldIfLong;
        }
        return counts;
      });

      return { daily, byKey };
    }),
  },
) {
  static readonly layer = Layer.effect(DeliveryReader, DeliveryReader.make).pipe(
    Layer.provide(DeliveryReaderSql.layer),
  );
}
