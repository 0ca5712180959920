import { assert, describe, it } from "@effect/vitest";
import fc from "fast-check";
import { DeviceTally } from "../../../src/reports/rollups/encoding/DeviceTally.ts";

/** Numbers close together, far apart, and at both ends of what gaps and bits write differently. */
const numbers = fc.array(
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
  it("counts each device once, however many sets laid end to end hold it, and used again begins anew", () => {
    const writer = new DeviceTally();
    const all = new DeviceTally();
    const each = new DeviceTally();
    fc.assert(
      fc.property(fc.array(numbers, { maxLength: 4 }), (lists) => {
        const sets = lists.map((list) => {
          writer.clear();
          for (const key of list) writer.add(key);
          assert.strictEqual(writer.count, new Set(list).size);
          return writer.toSet();
        });
        all.clear();
        each.clear();
        all.addSets(concat(sets), each);
        const expected = new Set(lists.flat());
        assert.deepStrictEqual([all.count, each.count], [expected.size, expected.size]);
        // Written again, the union reads as the same numbers: adding them all adds nothing.
        each.clear();
        each.addSets(all.toSet());
        for (const key of expected) each.add(key);
        assert.strictEqual(each.count, expected.size);
      }),
      { seed: 25, numRuns: 300 },
    );
  });

  it("of half of all devices takes a bit for each; of few, some bytes", () => {
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
