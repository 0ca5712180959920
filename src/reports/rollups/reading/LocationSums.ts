import type { LocationCounts } from "../../ReportCounts.ts";
import { countsEntries, countsExits, type ReportFilters } from "../../ReportQuery.ts";
import { integersOf } from "../encoding/BinaryArrays.ts";
import { setEnd } from "../encoding/DeviceSet.ts";
import type { DeviceTally } from "../encoding/DeviceTally.ts";
import { forEachLocation, joinHalves, type LocationBlock } from "../encoding/LocationBlock.ts";
import type { TransitionGroup, VisitChange } from "../RollupTypes.ts";

/** Rollups of one location. `sets` are its sets of devices, each by its bytes and their offset. */
export interface LocationSum {
  entries: number;
  exits: number;
  visits: number;
  /** The sums of the upper and of the lower 32 bits of the visits' microseconds. */
  high: number;
  low: number;
  readonly sets: Array<readonly [bytes: Uint8Array, offset: number]>;
}

/** The sum of a location without rows. */
export const emptySum = (): LocationSum => ({ entries: 0, exits: 0, visits: 0, high: 0, low: 0, sets: [] });

/** Adds up rows of one block by location; only of the keys given, null for all. */
export const locationSums = (
  rows: ReadonlyArray<LocationBlock>,
  keys: ReadonlySet<number> | null,
): ReadonlyMap<number, LocationSum> => {
  const sums = new Map<number, LocationSum>();
  for (const { devices, figures } of rows) {
    let offset = 0;
    forEachLocation(figures, (key, entries, exits, visits, high, low) => {
      const start = offset;
      offset = setEnd(devices, offset);
      if (keys !== null && !keys.has(key)) return;
      let sum = sums.get(key);
      if (sum === undefined) sums.set(key, (sum = emptySum()));
      sum.entries += entries;
      sum.exits += exits;
      sum.visits += visits;
      sum.high += high;
      sum.low += low;
      sum.sets.push([devices, start]);
    });
  }
  return sums;
};

/** Counts of a location that are not in its rollups. */
interface AddedToLocation {
  readonly groups: ReadonlyArray<TransitionGroup>;
  readonly visits: VisitChange | undefined;
}

/** The counts of a location that the filters let through. The tally's content is replaced. */
export const locationCounts = (
  key: number,
  sum: LocationSum,
  { groups, visits }: AddedToLocation,
  filters: ReportFilters,
  tally: DeviceTally,
): LocationCounts => {
  tally.clear();
  for (const [bytes, offset] of sum.sets) tally.addSetAt(bytes, offset);
  const counts = { entries: sum.entries, exits: sum.exits };
  for (const { devices, entries, exits } of groups) {
    counts.entries += entries;
    counts.exits += exits;
    for (const device of integersOf(devices)) tally.add(device);
  }
  const exits = countsExits(filters) ? counts.exits : 0;
  if (!countsEntries(filters)) return { key, entries: 0, exits, entered: 0, visits: 0, visitMicros: 0n };
  return {
    key,
    entries: counts.entries,
    exits,
    entered: tally.count,
    visits: sum.visits + (visits?.visits ?? 0),
    visitMicros: joinHalves(sum.high, sum.low) + (visits?.visitMicros ?? 0n),
  };
};
