import type { Sliced } from "../../../workers/TimeSlices.ts";
import { DeviceList } from "../encoding/DeviceList.ts";
import { allLocations, blockOf, packFigures } from "../encoding/LocationBlock.ts";
import type { EventAddition, LocationFigures } from "../RollupTypes.ts";
import { DaySums } from "./DaySums.ts";
import type { RebuildDays } from "./RebuildDays.ts";
import type { TransitionColumns } from "./SourceColumns.ts";

/** Which events are rolled up, and how. */
interface CountedTransitions {
  /** The first so many events count; those behind them only end visits. */
  readonly count: number;
  /** When each entry's device next left, from `nextExits`. */
  readonly exits: Float64Array;
  /** The indexes of the events by location (those of a block together) and device. */
  readonly sorted: Int32Array;
}

/** The locations of one block by day. */
class BlockRows {
  readonly #days: RebuildDays;
  readonly #locations: ReadonlyArray<Array<LocationFigures>>;

  constructor(days: RebuildDays) {
    this.#days = days;
    this.#locations = days.dates.map(() => []);
  }

  /** Adds the days of a location. Locations of a block come by ascending key. */
  add(locationKey: number, sums: DaySums): void {
    for (const { day, devices, first, second, visitMicros, visits } of sums.take()) {
      const figures = { entries: first, exits: second, visits, visitMicros: BigInt(visitMicros) };
      this.#locations[day]?.push({ locationKey, ...figures, devices });
    }
  }

  /** Gives the rows of the block, and starts over. */
  take(block: number): ReadonlyArray<EventAddition> {
    return this.#locations.flatMap((locations, day) => {
      const startsOn = this.#days.dates[day];
      if (locations.length === 0 || startsOn === undefined) return [];
      const row = { span: "day" as const, startsOn, block, ...packFigures(locations) };
      locations.length = 0;
      return [row];
    });
  }
}

/** The rows of all locations together; they hold no devices and no visits. */
const totalRows = (
  { dates }: RebuildDays,
  totals: ReadonlyArray<{ readonly entries: number; readonly exits: number }>,
): ReadonlyArray<EventAddition> => {
  const noDevices = new DeviceList().take().set;
  return totals.flatMap(({ entries, exits }, day) => {
    const startsOn = dates[day];
    if (entries + exits === 0 || startsOn === undefined) return [];
    const figures = { locationKey: 0, entries, exits, visits: 0, visitMicros: 0n, devices: noDevices };
    return [{ span: "day", startsOn, block: allLocations, ...packFigures([figures]) }];
  });
};

/** The rows of each block of locations by day, and those of all locations. */
export function* transitionRows(
  days: RebuildDays,
  { at, devices, entered, locations }: TransitionColumns,
  { count, exits, sorted }: CountedTransitions,
): Sliced<ReadonlyArray<EventAddition>> {
  const dayOf = days.indexesOf(at.subarray(0, count));
  yield;
  const rows: Array<EventAddition> = [];
  const totals = days.dates.map(() => ({ entries: 0, exits: 0 }));
  const block = new BlockRows(days);
  const sums = new DaySums(days);
  let before = -1;
  for (const row of sorted) {
    if (row >= count) continue;
    const location = locations[row] ?? 0;
    if (location !== before && before >= 0) {
      block.add(before, sums);
      if (blockOf(before) !== blockOf(location)) rows.push(...block.take(blockOf(before)));
      yield;
    }
    before = location;
    const day = dayOf[row] ?? 0;
    const isEntry = entered[row] === 1;
    sums.count(day, isEntry, devices[row] ?? 0, (exits[row] ?? Number.NaN) - (at[row] ?? 0));
    const total = totals[day];
    if (total !== undefined) total[isEntry ? "entries" : "exits"]++;
  }
  if (before >= 0) {
    block.add(before, sums);
    rows.push(...block.take(blockOf(before)));
  }
  return [...rows, ...totalRows(days, totals)];
}
