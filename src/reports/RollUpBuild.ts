import { DeviceGaps, DeviceTally } from "./DeviceSet.ts";
import type { BuildDays, BuildSpan } from "./RollUpKeys.ts";
import {
  type DeliveryAddition,
  type DeliveryKey,
  type EventAddition,
  outcomeKinds,
  type OutcomeColumns,
  type VisitColumns,
} from "./RollUpRows.ts";
import { allPlaces, placesBy } from "./SortedPlaces.ts";

/** What a day or a month of one campaign or location comes to; `first` counts deliveries or entries, `second` failures or exits. */
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

/** The sums of one campaign or location over the days and months that are built; used again for the next, so memory is that of one. */
class Sums {
  readonly #days: BuildDays;
  readonly #sums: ReadonlyArray<Sum>;
  readonly #touched: Array<number> = [];

  constructor(days: BuildDays) {
    this.#days = days;
    this.#sums = days.spans.map(() => new Sum());
  }

  /** Counts a row in one of the spans. Rows come by device, ascending. */
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
  finish<A>(give: (span: BuildSpan, sum: Sum) => A): ReadonlyArray<A> {
    const given = this.#touched.map((place) => {
      const [span, sum] = [this.#days.spans[place], this.#sums[place]];
      if (span === undefined || sum === undefined) throw new Error("There is no such span");
      const one = give(span, sum);
      sum.clear();
      return one;
    });
    this.#touched.length = 0;
    return given;
  }
}

/** The rows of each campaign's notification, by day and by month. */
export const builtOutcomes = (days: BuildDays, rows: OutcomeColumns): ReadonlyArray<DeliveryAddition> => {
  const { campaigns, delivered, devices, kinds, notifications, settled } = rows;
  const dayOf = days.daysAt(settled);
  const sorted = [devices, kinds, notifications, campaigns].reduce(
    (places, keys) => placesBy(keys, places),
    allPlaces(devices.length),
  );
  const built: Array<DeliveryAddition> = [];
  const sums = new Sums(days);
  const finish = (row: number) => {
    const { contentType, triggerType } = kindOf(kinds[row] ?? 0);
    const key = {
      campaignNo: campaigns[row] ?? 0,
      notificationNo: notifications[row] ?? 0,
      contentType,
      triggerType,
    };
    for (const one of sums.finish((span, { first, gaps, second }) => {
      const { count, set } = gaps.take();
      return { ...span, ...key, delivered: first, failed: second, reached: count, devices: set };
    })) {
      built.push(one);
    }
  };
  let before = -1;
  for (const row of sorted) {
    const isOther =
      before >= 0 &&
      (campaigns[before] !== campaigns[row] ||
        notifications[before] !== notifications[row] ||
        kinds[before] !== kinds[row]);
    if (isOther) finish(before);
    before = row;
    const day = dayOf[row] ?? 0;
    const [isDelivered, device] = [delivered[row] === 1, devices[row] ?? 0];
    sums.count(day, isDelivered, device, Number.NaN);
    sums.count(days.monthOf[day] ?? -1, isDelivered, device, Number.NaN);
  }
  if (before >= 0) finish(before);
  return built;
};

interface Total {
  readonly key: Omit<DeliveryKey, "span" | "startsOn">;
  readonly tally: DeviceTally;
  delivered: number;
  failed: number;
}

/** The rows over all campaigns, by day and by month, for each of type and trigger as they are and for any. */
export const builtTotals = (days: BuildDays, rows: OutcomeColumns): ReadonlyArray<DeliveryAddition> => {
  const { delivered, devices, kinds, settled } = rows;
  const dayOf = days.daysAt(settled);
  const built: Array<DeliveryAddition> = [];
  const [ofDay, ofMonth] = [totalsByKind(), totalsByKind()];
  const finish = (totals: ReadonlyArray<ReadonlyArray<Total>>, place: number) => {
    const span = days.spans[place];
    if (span === undefined) return;
    for (const total of new Set(totals.flat())) {
      if (total.delivered + total.failed === 0) continue;
      const { tally, key, delivered, failed } = total;
      built.push({ ...span, ...key, delivered, failed, reached: tally.count, devices: tally.toSet() });
      tally.clear();
      total.delivered = total.failed = 0;
    }
  };
  let [day, month] = [-1, -1];
  for (const row of placesBy(dayOf, allPlaces(devices.length))) {
    const today = dayOf[row] ?? 0;
    if (today !== day) {
      finish(ofDay, day);
      day = today;
      if (days.monthOf[day] !== month) {
        finish(ofMonth, month);
        month = days.monthOf[day] ?? -1;
      }
    }
    const [kind, device, isDelivered] = [kinds[row] ?? 0, devices[row] ?? 0, delivered[row] === 1];
    for (const totals of [ofDay[kind], ofMonth[kind]]) {
      for (const total of totals ?? []) {
        if (isDelivered) {
          total.delivered++;
          total.tally.add(device);
        } else total.failed++;
      }
    }
  }
  finish(ofDay, day);
  finish(ofMonth, month);
  return built;
};

/** For each kind the totals that it counts in. */
const totalsByKind = (): ReadonlyArray<ReadonlyArray<Total>> => {
  const totals = new Map<string, Total>();
  const totalOf = (contentType: string, triggerType: string) => {
    const name = `${contentType},${triggerType}`;
    const key = { campaignNo: 0, notificationNo: 0, contentType, triggerType };
    const total = totals.get(name) ?? { key, tally: new DeviceTally(), delivered: 0, failed: 0 };
    totals.set(name, total);
    return total;
  };
  return outcomeKinds.map(({ contentType, triggerType }) => [
    totalOf(contentType, triggerType),
    totalOf(contentType, ""),
    totalOf("", triggerType),
    totalOf("", ""),
  ]);
};

const kindOf = (kind: number) => {
  const found = outcomeKinds[kind];
  if (found === undefined) throw new Error("A delivery is of no kind that is known");
  return found;
};

/** Places of visits sorted by location, device and time. */
export const placesOfVisits = ({ at, devices, locations }: VisitColumns): Int32Array => {
  const sorted = placesBy(locations, placesBy(devices, allPlaces(devices.length)));
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
};

/**
 * When each entry's device next left the place (contract K5: the earliest exit later than the entry), in microseconds; not a number where it has not, or
 * for an exit. Of what pairs, `sorted` is by location, device and time.
 */
export const nextExits = (
  { at, devices, entered, locations, pairs, stayed }: VisitColumns,
  sorted: Int32Array,
): Float64Array => {
  const exits = stayed.map((micros, row) => micros + (at[row] ?? 0));
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

/** The rows of each location, by day and by month, and those of all locations, from the first `counted` of the visits. */
export const builtVisits = (
  days: BuildDays,
  visits: VisitColumns,
  {
    counted,
    exits,
    sorted,
  }: { readonly counted: number; readonly exits: Float64Array; readonly sorted: Int32Array },
): ReadonlyArray<EventAddition> => {
  const { at, devices, entered, locations } = visits;
  const dayOf = days.daysAt(at.subarray(0, counted));
  const built: Array<EventAddition> = [];
  const all = days.spans.map(() => ({ entries: 0, exits: 0 }));
  const sums = new Sums(days);
  const finish = (locationNo: number) => {
    for (const one of sums.finish((span, { first, gaps, second, stayed, stays }) => ({
      ...span,
      locationNo,
      entries: first,
      exits: second,
      stays,
      stayed: BigInt(stayed),
      devices: gaps.take().set,
    }))) {
      built.push(one);
    }
  };
  let before = -1;
  for (const row of sorted) {
    if (row >= counted) continue;
    const location = locations[row] ?? 0;
    if (location !== before) {
      finish(before);
      before = location;
    }
    const day = dayOf[row] ?? 0;
    const isEntry = entered[row] === 1;
    for (const place of [day, days.monthOf[day] ?? -1]) {
      sums.count(place, isEntry, devices[row] ?? 0, (exits[row] ?? Number.NaN) - (at[row] ?? 0));
      const total = all[place];
      if (total !== undefined) total[isEntry ? "entries" : "exits"]++;
    }
  }
  finish(before);
  const nobody = new DeviceGaps().take().set;
  for (const [place, span] of days.spans.entries()) {
    const { entries, exits } = all[place] ?? { entries: 0, exits: 0 };
    if (entries + exits === 0) continue;
    built.push({ ...span, locationNo: 0, entries, exits, stays: 0, stayed: 0n, devices: nobody });
  }
  return built;
};
