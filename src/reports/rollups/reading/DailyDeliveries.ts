import type { Sliced } from "../../../workers/TimeSlices.ts";
import type { DeliveryCounts, SummaryCounts } from "../../ReportCounts.ts";
import { DeviceTally } from "../encoding/DeviceTally.ts";

/**
 * Adds up the deliveries and distinct devices of each day of a range. First come the groups that are not in
 * the rollups (`addGroup`), then the rows of the rollups (`setDay`, `addDay`, `addRange`); `finish` counts
 * the days that have groups only. A group is counted with the row of its day, so that the day's devices are
 * counted once.
 */
export class DailyDeliveries {
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
