import { dateAt, daysOf } from "../../../time/LocalTime.ts";
import type { TimeZoneName } from "../../../time/TimeZone.ts";
import type { Period } from "../../SourceRowsSql.ts";

/** The local days of a period. */
export interface RebuildDays {
  readonly dates: ReadonlyArray<string>;
  /** The index in `dates` of each instant (microseconds). Fast where a day's instants follow each other. */
  readonly indexesOf: (instants: Float64Array) => Int32Array;
}

/** The local days that a period touches. */
export const rebuildDays = (zone: TimeZoneName, { fromMs, toMs }: Period): RebuildDays => {
  const days = daysOf(zone, dateAt(zone, fromMs), dateAt(zone, toMs - 1));
  return {
    dates: days.map(({ date }) => date),
    indexesOf: (instants) => {
      const indexes = new Int32Array(instants.length);
      let day = 0;
      let [from, to] = [0, 0];
      for (let row = 0; row < instants.length; row++) {
        const micros = instants[row] ?? 0;
        if (micros < from || micros >= to) {
          day = days.findLastIndex((each) => each.fromMs * 1000 <= micros);
          [from, to] = [(days[day]?.fromMs ?? 0) * 1000, (days[day]?.toMs ?? 0) * 1000];
        }
        indexes[row] = day;
      }
      return indexes;
    },
  };
};
