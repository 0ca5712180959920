import { DeviceGaps } from "./encoding/DeviceSet.ts";
import type { Sliced } from "../../workers/TimeSlices.ts";
import type { BuildDays } from "./RollupKeys.ts";
import {
  type DeliveryAddition,
  type EventAddition,
  type LocationVisits,
  outcomeKinds,
  type OutcomeColumns,
  type VisitColumns,
} from "./RollupTypes.ts";
import { allPlaces, placesBy } from "./encoding/SortedIndexes.ts";
import { allTogether, blockOf, orderInBlocks, packVisits } from "./encoding/LocationBlock.ts";

/** What a day of one campaign or location comes to; `first` counts deliveries or entries, `second` failures or exits. */
class Sum {
  readonly gaps = new DeviceGaps();
  first = 0;
  second = 0;
  stays = 0;
  stayed = 0;

  clear(): void {
    this.first = this.second = this.stays = this.stayed = 0;
  }
}

/** The sums of one campaign or location over the days that are built; used again for the next, so memory is that of one. */
class Sums {
  readonly #days: BuildDays;
  readonly #sums: ReadonlyArray<Sum>;
  readonly #touched: Array<number> = [];

  constructor(days: BuildDays) {
    this.#days = days;
    this.#sums = days.dates.map(() => new Sum());
  }

  /** Counts a row in one of the days. Rows come by device, ascending. */
  count(place: number, isFirst: boolean, device: number, stayed: number): void {
    const sum = this.#sums[place];
    if (sum === undefined) throw new Error("A row lies outside of the days that are built");
    if (sum.first + sum.second === 0) this.#touched.push(place);
    if (!isFirst) {
      sum.second++;
      return;
    }
    sum.first++;
    sum.gaps.add(device);
    // Not a number where no exit followed.
    if (stayed >= 0) {
      sum.stays++;
      sum.stayed += stayed;
    }
  }

  /** Gives out what there is, and forgets it. */
  finish(give: (startsOn: string, sum: Sum, place: number) => void): void {
    for (const place of this.#touched) {
      const [date, sum] = [this.#days.dates[place], this.#sums[place]];
      if (date === undefined || sum === undefined) throw new Error("There is no such day");
      give(date, sum, place);
      sum.clear();
    }
    this.#touched.length = 0;
  }
}

/** The rows of each campaign's notification, by day. */
export function* builtOutcomes(
  days: BuildDays,
  rows: OutcomeColumns,
): Sliced<ReadonlyArray<DeliveryAddition>> {
  const { campaigns, delivered, devices, kinds, notifications, settled } = rows;
  const dayOf = days.daysAt(settled);
  yield;
  let sorted = allPlaces(devices.length);
  for (const keys of [devices, kinds, notifications, campaigns]) {
    sorted = placesBy(keys, sorted);
    yield;
  }
  const built: Array<DeliveryAddition> = [];
  const sums = new Sums(days);
  const finish = (row: number) => {
    const { contentType, triggerType } = kindOf(kinds[row] ?? 0);
    const key = {
      campaignKey: campaigns[row] ?? 0,
      notificationKey: notifications[row] ?? 0,
      contentType,
      triggerType,
    };
    sums.finish((startsOn, { first, gaps, second }) => {
      const { count, set } = gaps.take();
      built.push({
        span: "day",
        startsOn,
        ...key,
        delivered: first,
        failed: second,
        reached: count,
        devices: set,
      });
    });
  };
  let before = -1;
  for (const row of sorted) {
    const isOther =
      before >= 0 &&
      (campaigns[before] !== campaigns[row] ||
        notifications[before] !== notifications[row] ||
        kinds[before] !== kinds[row]);
    if (isOther) {
      finish(before);
      yield;
    }
    before = row;
    sums.count(dayOf[row] ?? 0, delivered[row] === 1, devices[row] ?? 0, Number.NaN);
  }
  if (before >= 0) finish(before);
  return built;
}

const kindOf = (kind: number) => {
  const found = outcomeKinds[kind];
  if (found === undefined) throw new Error("A delivery is of no kind that is known");
  return found;
};

/** Places of visits sorted by location (those of a block together), device and time. */
export function* placesOfVisits({ at, devices, locations }: VisitColumns): Sliced<Int32Array> {
  const byDevice = placesBy(devices, allPlaces(devices.length));
  yield;
  const orders = new Int32Array(locations.length);
  for (let row = 0; row < orders.length; row++) orders[row] = orderInBlocks(locations[row] ?? 0);
  yield;
  const sorted = placesBy(orders, byDevice);
  yield;
  // A device is at one place a few times only, and mostly told in order.
  for (let place = 1; place < sorted.length; place++) {
    const row = sorted[place] ?? 0;
    let to = place;
    for (; to > 0; to--) {
      const before = sorted[to - 1] ?? 0;
      if (devices[before] !== devices[row] || locations[before] !== locations[row]) break;
      if ((at[before] ?? 0) <= (at[row] ?? 0)) break;
      sorted[to] = before;
    }
    sorted[to] = row;
  }
  return sorted;
}

/**
 * When each entry's device next left the place (contract K5: the earliest exit later than the entry), in microseconds; not a number where it has not, or
 * for an exit. Of what pairs, `sorted` is by location, device and time.
 */
export const nextExits = (
  { at, devices, entered, locations, pairs, stayed }: VisitColumns,
  sorted: Int32Array,
): Float64Array => {
  const exits = new Float64Array(stayed.length);
  for (let row = 0; row < exits.length; row++) exits[row] = (stayed[row] ?? 0) + (at[row] ?? 0);
  let [next, peers, peersExit, after] = [Number.NaN, Number.NaN, false, -1];
  for (let place = sorted.length - 1; place >= 0; place--) {
    const row = sorted[place] ?? 0;
    if (pairs[row] === 0) continue;
    const isOther = after >= 0 && (locations[row] !== locations[after] || devices[row] !== devices[after]);
    if (isOther) [next, peers, peersExit] = [Number.NaN, Number.NaN, false];
    after = row;
    const now = at[row] ?? 0;
    if (now !== peers) {
      if (peersExit) next = peers;
      [peers, peersExit] = [now, false];
    }
    if (entered[row] === 1) exits[row] = next;
    else peersExit = true;
  }
  return exits;
};

/** The rows of each block of locations, by day, and those of all locations, from the first `counted` of the visits. */
export function* builtVisits(
  days: BuildDays,
  visits: VisitColumns,
  {
    counted,
    exits,
    sorted,
  }: { readonly counted: number; readonly exits: Float64Array; readonly sorted: Int32Array },
): Sliced<ReadonlyArray<EventAddition>> {
  const { at, devices, entered, locations } = visits;
  const dayOf = days.daysAt(at.subarray(0, counted));
  yield;
  const built: Array<EventAddition> = [];
  const all = days.dates.map(() => ({ entries: 0, exits: 0 }));
  const blocks = days.dates.map((): Array<LocationVisits> => []);
  const sums = new Sums(days);
  const finish = (locationKey: number) => {
    sums.finish((_, { first, gaps, second, stayed, stays }, place) => {
      const { set } = gaps.take();
      const visits = {
        locationKey,
        entries: first,
        exits: second,
        stays,
        stayed: BigInt(stayed),
        devices: set,
      };
      blocks[place]?.push(visits);
    });
  };
  const give = (block: number) => {
    for (const [place, locations] of blocks.entries()) {
      const startsOn = days.dates[place];
      if (locations.length === 0 || startsOn === undefined) continue;
      built.push({ span: "day", startsOn, block, ...packVisits(locations) });
      locations.length = 0;
    }
  };
  let before = -1;
  for (const row of sorted) {
    if (row >= counted) continue;
    const location = locations[row] ?? 0;
    if (location !== before) {
      finish(before);
      if (before >= 0 && blockOf(before) !== blockOf(location)) give(blockOf(before));
      before = location;
      yield;
    }
    const day = dayOf[row] ?? 0;
    const isEntry = entered[row] === 1;
    sums.count(day, isEntry, devices[row] ?? 0, (exits[row] ?? Number.NaN) - (at[row] ?? 0));
    const total = all[day];
    if (total !== undefined) total[isEntry ? "entries" : "exits"]++;
  }
  finish(before);
  if (before >= 0) give(blockOf(before));
  const nobody = new DeviceGaps().take().set;
  for (const [place, startsOn] of days.dates.entries()) {
    const { entries, exits } = all[place] ?? { entries: 0, exits: 0 };
    if (entries + exits === 0) continue;
    const sum = { locationKey: 0, entries, exits, stays: 0, stayed: 0n, devices: nobody };
    built.push({ span: "day", startsOn, block: allTogether, ...packVisits([sum]) });
  }
  return built;
}
