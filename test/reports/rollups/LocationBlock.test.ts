import { assert, describe, it } from "@effect/vitest";
import fc from "fast-check";
import { DeviceTally } from "../../../src/reports/rollups/encoding/DeviceTally.ts";
import {
  forEachLocation,
  packFigures,
  uniteBlocks,
  unpackFigures,
  joinHalves,
} from "../../../src/reports/rollups/encoding/LocationBlock.ts";
import { cases } from "../../FixedSeed.ts";

const tally = new DeviceTally();
const setOf = (devices: ReadonlyArray<number>): Uint8Array => {
  tally.clear();
  for (const key of devices) tally.add(key);
  return tally.toSet();
};
const count = fc.oneof(
  fc.nat({ max: 300 }),
  fc.nat({ max: 2_147_483_647 }),
  fc.nat({ max: Number.MAX_SAFE_INTEGER }),
);
const figures = fc.record({
  locationKey: fc.oneof(fc.nat({ max: 200 }), fc.nat({ max: 2_147_483_647 })),
  entries: count,
  exits: count,
  visits: fc.oneof(fc.integer({ min: -9, max: 9 }), count),
  visitMicros: fc.bigInt({ min: -(2n ** 62n), max: 2n ** 62n }),
  devices: fc.uniqueArray(fc.nat({ max: 3000 }), { maxLength: 9 }),
});
const block = fc
  .uniqueArray(figures, { maxLength: 9, selector: ({ locationKey }) => locationKey })
  .map((all) => all.toSorted((one, other) => one.locationKey - other.locationKey));
const stored = (all: ReadonlyArray<{ readonly devices: ReadonlyArray<number> }>) =>
  all.map((each) => ({ ...each, devices: setOf(each.devices) })) as unknown as Parameters<
    typeof packFigures
  >[0];

describe("A block of locations", () => {
  it("a block reads as it was written, whatever its figures", () => {
    fc.assert(
      fc.property(block, (all) => {
        assert.deepStrictEqual(unpackFigures(packFigures(stored(all))), stored(all));
      }),
      { seed: 5, numRuns: cases(500) },
    );
  });

  it("blocks that lie end to end are read in order", () => {
    fc.assert(
      fc.property(block, block, (one, other) => {
        const parts = [packFigures(stored(one)), packFigures(stored(other))];
        const read: Array<unknown> = [];
        forEachLocation(new Uint8Array(parts.flatMap((part) => [...part.figures])), (...location) => {
          const [key, entries, exits, visits, high, low] = location;
          read.push([key, entries, exits, visits, joinHalves(high, low)]);
        });
        const expected = [...one, ...other].map((each) => [
          each.locationKey,
          each.entries,
          each.exits,
          each.visits,
          each.visitMicros,
        ]);
        assert.deepStrictEqual(read, expected);
      }),
      { seed: 6, numRuns: cases(300) },
    );
  });

  it("united blocks have the sums of each location, and each device once", () => {
    const few = block.map((all) =>
      all.map((each) => ({ ...each, entries: each.entries % 1000, exits: 1, visits: 2 })),
    );
    fc.assert(
      fc.property(fc.array(few, { minLength: 1, maxLength: 4 }), (blocks) => {
        const sums = unpackFigures(
          uniteBlocks(
            blocks.map((each) => packFigures(stored(each))),
            tally,
          ),
        );
        const expected = [...Map.groupBy(blocks.flat(), ({ locationKey }) => locationKey)]
          .toSorted(([one], [other]) => one - other)
          .map(([locationKey, all]) => ({
            locationKey,
            entries: all.reduce((sum, { entries }) => sum + entries, 0),
            exits: all.length,
            visits: 2 * all.length,
            visitMicros: all.reduce((sum, { visitMicros }) => sum + visitMicros, 0n),
            devices: setOf(all.flatMap(({ devices }) => devices)),
          }))
          // A sum of 64 bits wraps, as in the table: such sums are not compared.
          .filter(({ visitMicros }) => visitMicros === BigInt.asIntN(64, visitMicros));
        const kept = new Set(expected.map(({ locationKey }) => locationKey));
        assert.deepStrictEqual(
          sums.filter(({ locationKey }) => kept.has(locationKey)),
          expected,
        );
      }),
      { seed: 7, numRuns: cases(300) },
    );
  });
});
