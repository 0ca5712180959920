import { assert, describe, it } from "@effect/vitest";
import fc from "fast-check";
import type { BoundingBox } from "../../../src/locations/geometry/BoundingBox.ts";
import { BoxTree } from "../../../src/locations/geometry/BoxTree.ts";
import { cases } from "../../FixedSeed.ts";

/** Boxes on a small grid, so that many touch, coincide or are points. */
const whole = fc.integer({ min: -180, max: 180 });
const box = fc
  .tuple(whole, whole, fc.integer({ min: 0, max: 9 }), fc.integer({ min: 0, max: 9 }))
  .map(([west, south, width, height]): BoundingBox => [west, south / 2, west + width, (south + height) / 2]);

const intersect = (a: BoundingBox, b: BoundingBox): boolean =>
  a[0] <= b[2] && b[0] <= a[2] && a[1] <= b[3] && b[1] <= a[3];

const treeOf = (boxes: ReadonlyArray<BoundingBox>): BoxTree => {
  const building = BoxTree.build(boxes);
  for (;;) {
    const { done, value } = building.next();
    if (done === true) return value;
  }
};

const found = (tree: BoxTree, [west, south, east, north]: BoundingBox): ReadonlyArray<number> => {
  const boxes: Array<number> = [];
  tree.search(west, south, east, north, (leaf) => boxes.push(tree.order[leaf] ?? -1));
  return boxes.toSorted((a, b) => a - b);
};

describe("BoxTree", () => {
  it("a search finds every box that has a point in common with the query once, and no other", () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.array(box, { maxLength: 40 }),
          fc.array(box, { minLength: 250, maxLength: 5_000, size: "max" }),
        ),
        fc.array(box, { minLength: 1, maxLength: 10 }),
        (boxes, queries) => {
          const tree = treeOf(boxes);
          for (const query of [...queries, ...boxes.slice(0, 20), [-180, -90, 190, 95] as const]) {
            const expected = boxes.flatMap((box, index) => (intersect(box, query) ? [index] : []));
            assert.deepStrictEqual(found(tree, query), expected);
          }
        },
      ),
      { numRuns: cases(60), seed: 1 },
    );
  });

  it("a square of boxes is ordered along a Hilbert curve, each beside the previous one", () => {
    const side = 64;
    const tree = treeOf(
      Array.from({ length: side * side }, (_, index): BoundingBox => {
        const [x, y] = [index % side, Math.floor(index / side)];
        return [x, y, x + 1, y + 1];
      }),
    );
    const steps = Array.from(tree.order.subarray(1), (index, leaf) => {
      const previous = tree.order[leaf] ?? 0;
      const across = Math.abs((index % side) - (previous % side));
      return across + Math.abs(Math.floor(index / side) - Math.floor(previous / side));
    });
    assert.deepStrictEqual([...new Set(steps)], [1]);
  });
});
