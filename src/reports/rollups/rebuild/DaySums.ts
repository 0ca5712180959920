import { DeviceList } from "../encoding/DeviceList.ts";
import type { RebuildDays } from "./RebuildDays.ts";

/** A day of one campaign or location: deliveries and failed sends, or entries and exits. */
export interface DaySum {
  readonly startsOn: string;
  /** Its index in `RebuildDays.dates`. */
  readonly day: number;
  readonly first: number;
  readonly second: number;
  /** The distinct devices of `first`, and their number. */
  readonly devices: Uint8Array;
  readonly reached: number;
  readonly visits: number;
  readonly visitMicros: number;
}

class Sum {
  readonly devices = new DeviceList();
  first = 0;
  second = 0;
  visits = 0;
  visitMicros = 0;
}

/** The sums of one campaign or location by day. Reused for the next one, so that memory is that of one. */
export class DaySums {
  readonly #days: RebuildDays;
  readonly #sums: ReadonlyArray<Sum>;
  readonly #touched: Array<number> = [];

  constructor(days: RebuildDays) {
    this.#days = days;
    this.#sums = days.dates.map(() => new Sum());
  }

  /** Counts a row in a day. Rows come by device, ascending. `visitMicros` is NaN for no visit. */
  count(day: number, isFirst: boolean, device: number, visitMicros: number): void {
    const sum = this.#sums[day];
    if (sum === undefined) throw new Error("A row lies outside of the days that are rebuilt");
    if (sum.first + sum.second === 0) this.#touched.push(day);
    if (!isFirst) {
      sum.second++;
      return;
    }
    sum.first++;
    sum.devices.add(device);
    if (visitMicros >= 0) {
      sum.visits++;
      sum.visitMicros += visitMicros;
    }
  }

  /** Gives the sums of the days that have rows, and starts over. */
  take(): ReadonlyArray<DaySum> {
    const taken = this.#touched.map((day): DaySum => {
      const [startsOn, sum] = [this.#days.dates[day], this.#sums[day]];
      if (startsOn === undefined || sum === undefined) throw new Error("There is no such day");
      const { first, second, visitMicros, visits } = sum;
      const { count, set } = sum.devices.take();
      sum.first = sum.second = sum.visits = sum.visitMicros = 0;
      return { startsOn, day, first, second, devices: set, reached: count, visits, visitMicros };
    });
    this.#touched.length = 0;
    return taken;
  }
}
