import { assert, describe, it } from "@effect/vitest";
import fc from "fast-check";
import { DeviceTally } from "../../../src/reports/rollups/encoding/DeviceSet.ts";
import {
  blockOf,
  forEachVisit,
  orderInBlocks,
  packVisits,
  uniteVisits,
  unpackVisits,
  wholeOf,
} from "../../../src/reports/rollups/encoding/LocationBlock.ts";

const tally = new DeviceTally();
const setOf = (devices: ReadonlyArray<number>): Uint8Array => {
  tally.clear();
  for (const key of devices) tally.add(key);
  return tally.toSet();
};
const number = fc.oneof(
  fc.nat({ max: 300 }),
  fc.nat({ max: 2_147_483_647 }),
  fc.nat({ max: Number.MAX_SAFE_INTEGER }),
);
const visits = fc.record({
  locationKey: fc.oneof(fc.nat({ max: 200 }), fc.nat({ max: 2_147_483_647 })),
  entries: number,
  exits: number,
  stays: fc.oneof(fc.integer({ min: -9, max: 9 }), number),
  stayed: fc.bigInt({ min: -(2n ** 62n), max: 2n ** 62n }),
  devices: fc.uniqueArray(fc.nat({ max: 3000 }), { maxLength: 9 }),
});
const block = fc
  .uniqueArray(visits, { maxLength: 9, selector: ({ locationKey }) => locationKey })
  .map((all) => all.toSorted((one, other) => one.locationKey - other.locationKey));
const stored = (all: ReadonlyArray<{ readonly devices: ReadonlyArray<number> }>) =>
  all.map((each) => ({ ...each, devices: setOf(each.devices) })) as unknown as Parameters<
    typeof packVisits
  >[0];

describe("A block of locations", () => {
  it("reads as it was written, whatever its figures", () => {
    fc.assert(
      fc.property(block, (all) => {
        assert.deepStrictEqual(unpackVisits(packVisits(stored(all))), stored(all));
      }),
      { seed: 5, numRuns: 500 },
    );
  });

  it("reads in one go with others that lie behind it", () => {
    fc.assert(
      fc.property(block, block, (one, other) => {
        const parts = [packVisits(stored(one)), packVisits(stored(other))];
        const read: Array<unknown> = [];
        forEachVisit(new Uint8Array(parts.flatMap((part) => [...part.visits])), (...figures) => {
          const [key, entries, exits, stays, high, low] = figures;
          read.push([key, entries, exits, stays, wholeOf(high, low)]);
        });
        const expected = [...one, ...other].map((each) => [
          each.locationKey,
          each.entries,
          each.exits,
          each.stays,
          each.stayed,
        ]);
        assert.deepStrictEqual(read, expected);
      }),
      { seed: 6, numRuns: 300 },
    );
  });

  it("of several has the sums of each location, and each device once", () => {
    const few = block.map((all) =>
      all.map((each) => ({ ...each, entries: each.entries % 1000, exits: 1, stays: 2 })),
    );
    fc.assert(
      fc.property(fc.array(few, { minLength: 1, maxLength: 4 }), (blocks) => {
        const sums = unpackVisits(
          uniteVisits(
            blocks.map((each) => packVisits(stored(each))),
            tally,
          ),
        );
        const expected = [...Map.groupBy(blocks.flat(), ({ locationKey }) => locationKey)]
          .toSorted(([one], [other]) => one - other)
          .map(([locationKey, all]) => ({
            locationKey,
            entries: all.reduce((sum, { entries }) => sum + entries, 0),
            exits: all.length,
            stays: 2 * all.length,
            stayed: all.reduce((sum, { stayed }) => sum + stayed, 0n),
            devices: setOf(all.flatMap(({ devices }) => devices)),
          }))
          // A sum of 64 bits wraps, here as in the table: such sums are not compared.
          .filter(({ stayed }) => stayed === BigInt.asIntN(64, stayed));
        const kept = new Set(expected.map(({ locationKey }) => locationKey));
        assert.deepStrictEqual(
          sums.filter(({ locationKey }) => kept.has(locationKey)),
          expected,
        );
      }),
      { seed: 7, numRuns: 300 },
    );
  });

  it("lies together in the order of blocks, by ascending number", () => {
    const numbers = fc.sample(fc.integer({ min: 1, max: 2_147_483_647 }), { numRuns: 500, seed: 8 });
    const sorted = numbers.toSorted((one, other) => orderInBlocks(one) - orderInBlocks(other));
    const pairs = sorted.map((key) => [blockOf(key), key] as const);
    assert.deepStrictEqual(
      pairs,
      pairs.toSorted(([block, key], [other, more]) => block - other || key - more),
    );
    assert.isAtMost(Math.max(...numbers.map(orderInBlocks)), 2_147_483_647);
    assert.isFalse(numbers.some((key) => blockOf(key) === blockOf(0)));
  });
});
