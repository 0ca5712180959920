import { setEnd } from "./encoding/DeviceSet.ts";
import type { ReportScope } from "../ReportFiguresSql.ts";
import { forEachVisit, type PackedVisits } from "./encoding/LocationBlock.ts";

/** What blocks of the same locations say of one of them, and where its sets of devices begin. `high` and `low` are the halves of how long its stays took. */
export interface LocationSum {
  entries: number;
  exits: number;
  stays: number;
  high: number;
  low: number;
  readonly sets: Array<readonly [bytes: Uint8Array, at: number]>;
}

/** Of a location where nothing happened. */
export const nothing = (): LocationSum => ({ entries: 0, exits: 0, stays: 0, high: 0, low: 0, sets: [] });

/** The locations of a block, from its rows; of those that are wanted, null for all. */
export const locationsOf = (
  rows: ReadonlyArray<PackedVisits>,
  wanted: ReadonlySet<number> | null,
): ReadonlyMap<number, LocationSum> => {
  const sums = new Map<number, LocationSum>();
  for (const { devices, visits } of rows) {
    let at = 0;
    forEachVisit(visits, (key, entries, exits, stays, high, low) => {
      const begins = at;
      at = setEnd(devices, at);
      if (wanted !== null && !wanted.has(key)) return;
      let sum = sums.get(key);
      if (sum === undefined) sums.set(key, (sum = nothing()));
      sum.entries += entries;
      sum.exits += exits;
      sum.stays += stays;
      sum.high += high;
      sum.low += low;
      sum.sets.push([devices, begins]);
    });
  }
  return sums;
};

/** Whether entries count in the scope. */
export const countsEntries = ({ filters }: ReportScope): boolean =>
  filters.activation === null || filters.activation === "on_enter";

/** Whether exits count in the scope. */
export const countsExits = ({ filters }: ReportScope): boolean =>
  filters.activation === null || filters.activation === "on_exit";
