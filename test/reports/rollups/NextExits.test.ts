import { assert, describe, it } from "@effect/vitest";
import fc from "fast-check";
import { nextExits, sortedTransitions } from "../../../src/reports/rollups/rebuild/NextExits.ts";
import type { TransitionColumns } from "../../../src/reports/rollups/rebuild/SourceColumns.ts";
import { cases } from "../../FixedSeed.ts";

/** Few devices, locations and instants, so that many events meet. */
const event = fc.record({
  device: fc.integer({ min: 1, max: 3 }),
  location: fc.constantFrom(1, 2, 33),
  isEntry: fc.boolean(),
  isBoundary: fc.constantFrom(true, true, true, false),
  at: fc.nat({ max: 20 }),
  visitMicros: fc.option(fc.nat({ max: 9 })),
});
type Event = typeof event extends fc.Arbitrary<infer A> ? A : never;

const columnsOf = (events: ReadonlyArray<Event>): TransitionColumns => ({
  devices: Int32Array.from(events, ({ device }) => device),
  locations: Int32Array.from(events, ({ location }) => location),
  entered: Uint8Array.from(events, ({ isEntry }) => (isEntry ? 1 : 0)),
  boundaries: Uint8Array.from(events, ({ isBoundary }) => (isBoundary ? 1 : 0)),
  visitMicros: Float64Array.from(events, ({ isBoundary, visitMicros }) =>
    isBoundary ? Number.NaN : (visitMicros ?? Number.NaN),
  ),
  at: Float64Array.from(events, ({ at }) => at),
});

/** The earliest exit of the same device there that is later than the entry, NaN without one. */
const nextExitOf = (entry: Event, events: ReadonlyArray<Event>): number => {
  if (!entry.isBoundary) return entry.at + (entry.visitMicros ?? Number.NaN);
  const exits = events.filter(
    ({ at, device, isBoundary, isEntry, location }) =>
      !isEntry && isBoundary && device === entry.device && location === entry.location && at > entry.at,
  );
  return exits.length === 0 ? Number.NaN : Math.min(...exits.map(({ at }) => at));
};

const sorted = (columns: TransitionColumns): Int32Array => {
  const sorting = sortedTransitions(columns);
  for (;;) {
    const next = sorting.next();
    if (next.done === true) return next.value;
  }
};

describe("The next exits of entries", () => {
  it("the next exit is the device's earliest later exit there, in any order of rows (K5)", () => {
    fc.assert(
      fc.property(fc.array(event, { maxLength: 40 }), (events) => {
        const columns = columnsOf(events);
        const exits = nextExits(columns, sorted(columns));
        for (const [index, each] of events.entries()) {
          if (each.isEntry) assert.deepStrictEqual(exits[index], nextExitOf(each, events));
        }
      }),
      { seed: 27, numRuns: cases(500) },
    );
  });
});
