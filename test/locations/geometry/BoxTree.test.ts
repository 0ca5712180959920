import { assert, describe, it } from "@effect/vitest";
import fc from "fast-check";
import type { BoundingBox } from "../../../src/locations/geometry/BoundingBox.ts";
import { BoxTree } from "../../../src/locations/geometry/BoxTree.ts";

/** From a small grid, so that many boxes touch, lie on one another, and are points. */
const whole = fc.integer({ min: -180, max: 180 });
const box = fc
  .tuple(whole, whole, fc.integer({ min: 0, max: 9 }), fc.integer({ min: 0, max: 9 }))
  .map(([west, south, width, height]): BoundingBox => [west, south / 2, west + width, (south + height) / 2]);

const meets = (a: BoundingBox, b: BoundingBox): boolean =>
  a[0] <= b[2] && b[0] <= a[2] && a[1] <= b[3] && b[1] <= a[3];

const treeOf = (boxes: ReadonlyArray<BoundingBox>): BoxTree => {
  const making = BoxTree.making(boxes);
  for (;;) {
    const { done, value } = making.next();
    if (done === true) return value;
  }
};

const found = (tree: BoxTree, [west, south, east, north]: BoundingBox): ReadonlyArray<number> => {
  const boxes: Array<number> = [];
  tree.search(west, south, east, north, (leaf) => boxes.push(tree.order[leaf] ?? -1));
  return boxes.toSorted((a, b) => a - b);
};

describe("A tree of boxes", () => {
  it("gives exactly the boxes that have a point in common with one, each once, however many there are", () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.array(box, { maxLength: 40 }),
          fc.array(box, { minLength: 250, maxLength: 5_000, size: "max" }),
        ),
        fc.array(box, { minLength: 1, maxLength: 10 }),
        (boxes, asked) => {
          const tree = treeOf(boxes);
          for (const one of [...asked, ...boxes.slice(0, 20), [-180, -90, 190, 95] as const]) {
            const expected = boxes.flatMap((each, at) => (meets(each, one) ? [at] : []));
            assert.deepStrictEqual(found(tree, one), expected);
          }
        },
      ),
      { numRuns: 60, seed: 1 },
    );
  });

  it("orders a square of boxes along a Hilbert curve, each beside the one before", () => {
    const side = 64;
    const tree = treeOf(
      Array.from({ length: side * side }, (_, at): BoundingBox => {
        const [x, y] = [at % side, Math.floor(at / side)];
        return [x, y, x + 1, y + 1];
      }),
    );
    const steps = Array.from(tree.order.subarray(1), (at, leaf) => {
      const before = tree.order[leaf] ?? 0;
      return (
        Math.abs((at % side) - (before % side)) + Math.abs(Math.floor(at / side) - Math.floor(before / side))
      );
    });
    assert.deepStrictEqual([...new Set(steps)], [1]);
  });
});
