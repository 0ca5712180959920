import type { Sliced } from "../../../workers/TimeSlices.ts";
import type { DeliveryAddition } from "../RollupTypes.ts";
import { DaySums } from "./DaySums.ts";
import type { RebuildDays } from "./RebuildDays.ts";
import { rowIndexes, sortedBy } from "./SortedIndexes.ts";
import { kindOf, type OutcomeColumns } from "./SourceColumns.ts";

/** The rows of each campaign's notification and kind, by day. */
export function* outcomeRows(
  days: RebuildDays,
  { campaigns, delivered, devices, kinds, notifications, settled }: OutcomeColumns,
): Sliced<ReadonlyArray<DeliveryAddition>> {
  const dayOf = days.indexesOf(settled);
  yield;
  let sorted = rowIndexes(devices.length);
  for (const keys of [devices, kinds, notifications, campaigns]) {
    sorted = sortedBy(keys, sorted);
    yield;
  }
  const rows: Array<DeliveryAddition> = [];
  const sums = new DaySums(days);
  const finish = (row: number) => {
    const key = {
      campaignKey: campaigns[row] ?? 0,
      notificationKey: notifications[row] ?? 0,
      ...kindOf(kinds[row] ?? 0),
    };
    for (const { devices, first, reached, second, startsOn } of sums.take()) {
      rows.push({ span: "day", startsOn, ...key, delivered: first, failed: second, reached, devices });
    }
  };
  const isSameKey = (one: number, other: number) =>
    campaigns[one] === campaigns[other] &&
    notifications[one] === notifications[other] &&
    kinds[one] === kinds[other];
  let before = -1;
  for (const row of sorted) {
    if (before >= 0 && !isSameKey(before, row)) {
      finish(before);
      yield;
    }
    before = row;
    sums.count(dayOf[row] ?? 0, delivered[row] === 1, devices[row] ?? 0, Number.NaN);
  }
  if (before >= 0) finish(before);
  return rows;
}
