import { DeviceTally } from "./encoding/DeviceSet.ts";
import type { Sliced } from "../../workers/TimeSlices.ts";
import type { BuildDays } from "./RollupKeys.ts";
import { type DeliveryAddition, outcomeKinds, type OutcomeColumns } from "./RollupTypes.ts";
import { allPlaces, placesBy } from "./encoding/SortedIndexes.ts";

/** Deliveries of a day of one kind, or of several together. */
interface Total {
  readonly contentType: string;
  readonly triggerType: string;
  readonly tally: DeviceTally;
  delivered: number;
  failed: number;
}

/** The rows over all campaigns, by day, for each of type and trigger as they are and for any. */
export function* builtTotals(days: BuildDays, rows: OutcomeColumns): Sliced<ReadonlyArray<DeliveryAddition>> {
  const { delivered, devices, kinds, settled } = rows;
  const dayOf = days.daysAt(settled);
  yield;
  const built: Array<DeliveryAddition> = [];
  const total = (contentType: string, triggerType: string): Total => {
    return { contentType, triggerType, tally: new DeviceTally(), delivered: 0, failed: 0 };
  };
  const single = outcomeKinds.map(({ contentType, triggerType }) => total(contentType, triggerType));
  const names = (name: "contentType" | "triggerType") => new Set(["", ...single.map((kind) => kind[name])]);
  const several = [...names("contentType")]
    .flatMap((content) => [...names("triggerType")].map((trigger) => total(content, trigger)))
    .filter(({ contentType, triggerType }) => contentType === "" || triggerType === "");
  const give = (startsOn: string, sum: Total): Uint8Array => {
    const { contentType, delivered, failed, tally, triggerType } = sum;
    const set = tally.toSet();
    const key = { campaignKey: 0, notificationKey: 0, contentType, triggerType };
    built.push({ span: "day", startsOn, ...key, delivered, failed, reached: tally.count, devices: set });
    tally.clear();
    sum.delivered = sum.failed = 0;
    return set;
  };
  const finish = (place: number) => {
    const startsOn = days.dates[place];
    if (startsOn === undefined) return;
    for (const one of single) {
      if (one.delivered + one.failed === 0) continue;
      const sums = several.filter(
        ({ contentType, triggerType }) =>
          (contentType === "" || contentType === one.contentType) &&
          (triggerType === "" || triggerType === one.triggerType),
      );
      for (const sum of sums) {
        sum.delivered += one.delivered;
        sum.failed += one.failed;
      }
      const set = give(startsOn, one);
      for (const { tally } of sums) tally.addSets(set);
    }
    for (const sum of several) if (sum.delivered + sum.failed > 0) give(startsOn, sum);
  };
  let day = -1;
  for (const row of placesBy(dayOf, allPlaces(devices.length))) {
    const today = dayOf[row] ?? 0;
    if (today !== day) {
      finish(day);
      day = today;
      yield;
    }
    const kind = single[kinds[row] ?? 0];
    if (kind === undefined) throw new Error("A delivery is of no kind that is known");
    if (delivered[row] === 1) {
      kind.delivered++;
      kind.tally.add(devices[row] ?? 0);
    } else kind.failed++;
  }
  finish(day);
  return built;
}
