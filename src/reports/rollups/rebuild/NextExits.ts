import type { Sliced } from "../../../workers/TimeSlices.ts";
import { orderInBlocks } from "../encoding/LocationBlock.ts";
import { rowIndexes, sortedBy } from "./SortedIndexes.ts";
import type { TransitionColumns } from "./SourceColumns.ts";

/** The indexes of events sorted by location (those of a block together), device and time. */
export function* sortedTransitions({ at, devices, locations }: TransitionColumns): Sliced<Int32Array> {
  const byDevice = sortedBy(devices, rowIndexes(devices.length));
  yield;
  const orders = new Int32Array(locations.length);
  for (let row = 0; row < orders.length; row++) orders[row] = orderInBlocks(locations[row] ?? 0);
  yield;
  const sorted = sortedBy(orders, byDevice);
  yield;
  // Insertion sort: a device has few events at one location, and most of them in order.
  for (let index = 1; index < sorted.length; index++) {
    const row = sorted[index] ?? 0;
    let to = index;
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
 * The next exit of a device from a location, while its events there are read backwards. Events of one instant
 * do not see each other's exits (contract K5: the earliest exit later than the entry).
 */
class NextExit {
  #next = Number.NaN;
  #instant = Number.NaN;
  #hasExit = false;

  /** Starts over, for another device or location. */
  reset(): void {
    this.#next = this.#instant = Number.NaN;
    this.#hasExit = false;
  }

  /** Moves back to an instant. Gives the earliest exit after it, NaN if there is none. */
  moveTo(instant: number): number {
    if (instant === this.#instant) return this.#next;
    if (this.#hasExit) this.#next = this.#instant;
    this.#instant = instant;
    this.#hasExit = false;
    return this.#next;
  }

  /** Adds an exit at the present instant. */
  addExit(): void {
    this.#hasExit = true;
  }
}

/**
 * When each entry's device next left its location, in microseconds; NaN where it has not, or for an exit.
 * `sorted` are the indexes of the events by location, device and time.
 */
export const nextExits = (
  { at, boundaries, devices, entered, locations, visitMicros }: TransitionColumns,
  sorted: Int32Array,
): Float64Array => {
  const exits = new Float64Array(at.length);
  for (let row = 0; row < exits.length; row++) exits[row] = (at[row] ?? 0) + (visitMicros[row] ?? 0);
  const next = new NextExit();
  let after = -1;
  for (let index = sorted.length - 1; index >= 0; index--) {
    const row = sorted[index] ?? 0;
    if (boundaries[row] === 0) continue;
    if (locations[row] !== locations[after] || devices[row] !== devices[after]) next.reset();
    after = row;
    const exit = next.moveTo(at[row] ?? 0);
    if (entered[row] === 1) exits[row] = exit;
    else next.addExit();
  }
  return exits;
};
