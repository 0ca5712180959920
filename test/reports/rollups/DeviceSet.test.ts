import { assert, describe, it } from "@effect/vitest";
import fc from "fast-check";
import { DeviceTally } from "../../../src/reports/rollups/encoding/DeviceTally.ts";
import { cases } from "../../FixedSeed.ts";

/** Keys close together, far apart, and at the lengths where gaps and bitmaps change. */
const keys = fc.array(
  fc.oneof(
    fc.nat({ max: 40 }),
    fc.nat({ max: 5000 }),
    fc.nat({ max: 3_000_000 }),
    fc.constantFrom(0, 127, 128, 16_384),
  ),
  { maxLength: 300 },
);

const concat = (sets: ReadonlyArray<Uint8Array>): Uint8Array =>
  new Uint8Array(sets.flatMap((set) => [...set]));

describe("A set of devices", () => {
  it("a tally counts each device once over sets that lie end to end, also after it was cleared", () => {
    const writer = new DeviceTally();
    const first = new DeviceTally();
    const second = new DeviceTally();
    fc.assert(
      fc.property(fc.array(keys, { maxLength: 4 }), (lists) => {
        const sets = lists.map((list) => {
          writer.clear();
          for (const key of list) writer.add(key);
          assert.strictEqual(writer.count, new Set(list).size);
          return writer.toSet();
        });
        first.clear();
        second.clear();
        first.addSets(concat(sets), second);
        const expected = new Set(lists.flat());
        assert.deepStrictEqual([first.count, second.count], [expected.size, expected.size]);
        // The union is written as the same keys: adding them all to it adds nothing.
        second.clear();
        second.addSets(first.toSet());
        for (const key of expected) second.add(key);
        assert.strictEqual(second.count, expected.size);
      }),
      { seed: 25, numRuns: cases(300) },
    );
  });

  it("a set of half of all devices takes one bit for each, and a set of few takes some bytes", () => {
    const tally = new DeviceTally();
    for (let key = 1; key < 500_000; key += 2) tally.add(key);
    assert.isAtMost(tally.toSet().length, 62_600);
    tally.clear();
    for (let key = 1; key < 500_000; key += 50_000) tally.add(key);
    assert.isAtMost(tally.toSet().length, 40);
    tally.clear();
    assert.strictEqual(tally.toSet().length, 5);
  });
});
