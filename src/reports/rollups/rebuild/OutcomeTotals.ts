import type { Sliced } from "../../../workers/TimeSlices.ts";
import { DeviceTally } from "../encoding/DeviceTally.ts";
import type { DeliveryAddition } from "../RollupTypes.ts";
import type { RebuildDays } from "./RebuildDays.ts";
import { rowIndexes, sortedBy } from "./SortedIndexes.ts";
import { contentTypes, type OutcomeColumns, outcomeKinds, triggerTypes } from "./SourceColumns.ts";

/** Deliveries of a day over all campaigns, of one kind, or of several ('' stands for any type or trigger). */
class Total {
  readonly contentType: string;
  readonly triggerType: string;
  readonly tally = new DeviceTally();
  delivered = 0;
  failed = 0;

  constructor(contentType: string, triggerType: string) {
    this.contentType = contentType;
    this.triggerType = triggerType;
  }

  covers({ contentType, triggerType }: Total): boolean {
    return ["", contentType].includes(this.contentType) && ["", triggerType].includes(this.triggerType);
  }

  /** Gives the row of a day, and starts over. No row where there are no deliveries. */
  take(startsOn: string): ReadonlyArray<DeliveryAddition> {
    const { contentType, delivered, failed, tally, triggerType } = this;
    if (delivered + failed === 0) return [];
    const key = { campaignKey: 0, notificationKey: 0, contentType, triggerType };
    const devices = { reached: tally.count, devices: tally.toSet() };
    tally.clear();
    this.delivered = this.failed = 0;
    return [{ span: "day", startsOn, ...key, delivered, failed, ...devices }];
  }
}

/** The totals of one day, for each kind and for the sums of several kinds. */
class DayTotals {
  readonly #kinds = outcomeKinds.map(({ contentType, triggerType }) => new Total(contentType, triggerType));
  readonly #sums = ["", ...contentTypes]
    .flatMap((content) => ["", ...triggerTypes].map((trigger) => new Total(content, trigger)))
    .filter(({ contentType, triggerType }) => contentType === "" || triggerType === "");

  count(kind: number, isDelivered: boolean, device: number): void {
    const total = this.#kinds[kind];
    if (total === undefined) throw new Error(`There is no kind ${kind} of deliveries`);
    if (!isDelivered) {
      total.failed++;
      return;
    }
    total.delivered++;
    total.tally.add(device);
  }

  /** Gives the rows of a day, and starts over. */
  take(startsOn: string): ReadonlyArray<DeliveryAddition> {
    const rows: Array<DeliveryAddition> = [];
    for (const kind of this.#kinds) {
      for (const row of kind.take(startsOn)) {
        rows.push(row);
        for (const sum of this.#sums.filter((each) => each.covers(kind))) {
          sum.delivered += row.delivered;
          sum.failed += row.failed;
          sum.tally.addSets(row.devices);
        }
      }
    }
    for (const sum of this.#sums) rows.push(...sum.take(startsOn));
    return rows;
  }
}

/** The rows over all campaigns, by day: for each content type and trigger, and for any. */
export function* outcomeTotals(
  days: RebuildDays,
  { delivered, devices, kinds, settled }: OutcomeColumns,
): Sliced<ReadonlyArray<DeliveryAddition>> {
  const dayOf = days.indexesOf(settled);
  yield;
  const rows: Array<DeliveryAddition> = [];
  const totals = new DayTotals();
  let day = -1;
  for (const row of sortedBy(dayOf, rowIndexes(devices.length))) {
    const rowDay = dayOf[row] ?? 0;
    if (rowDay !== day) {
      rows.push(...totals.take(days.dates[day] ?? ""));
      day = rowDay;
      yield;
    }
    totals.count(kinds[row] ?? 0, delivered[row] === 1, devices[row] ?? 0);
  }
  rows.push(...totals.take(days.dates[day] ?? ""));
  return rows;
}
