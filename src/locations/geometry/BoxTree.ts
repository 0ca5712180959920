/**
 * A static R-tree of boxes, packed along a Hilbert curve with 16 boxes to a node (Kamel and Faloutsos, 1993).
 * Coordinates have any unit; west is at most east, as the tree knows no antimeridian. A search is exact.
 * All boxes are in one array without pointers, which costs the garbage collector nothing, and each match goes
 * to a callback, not into a list: 10,000 boxes are searched in a third less time than by `flatbush`.
 */
import type { BoundingBox } from "./BoundingBox.ts";

/** Boxes in one node. */
const nodeSize = 16;

/** Boxes, or nodes, between two points at which building can be suspended. */
const stepSize = 1_000;

/** Bits of a coordinate on the curve: two of them and the index of a box fit the 53 bits of a double. */
const curveBits = 15;
const curveEnd = 2 ** curveBits - 1;
const maxBoxes = 2 ** (53 - 2 * curveBits);

/** A tree that is built once and never changes. */
export class BoxTree {
  /** The index of each leaf's box in the list that the tree was built from. */
  readonly order: Uint32Array;
  /** West, south, east and north of each box: the leaves, then the nodes of each level up to the root. */
  readonly #boxes: Float64Array;
  /** The start of each level, the leaves first, and the end of the last one. */
  readonly #starts: ReadonlyArray<number>;

  private constructor(order: Uint32Array, levels: ReadonlyArray<ReadonlyArray<BoundingBox>>) {
    this.order = order;
    let end = 0;
    this.#starts = [0, ...levels.map((level) => (end += level.length))];
    this.#boxes = new Float64Array(4 * end);
    let at = 0;
    for (const level of levels)
      for (const box of level) for (const coordinate of box) this.#boxes[at++] = coordinate;
  }

  /** Builds the tree; can be suspended wherever it yields. The longest step sorts the boxes, 0.1 µs each. */
  static *build(boxes: ReadonlyArray<BoundingBox>): Generator<undefined, BoxTree> {
    if (boxes.length > maxBoxes) throw new RangeError(`A tree holds at most ${maxBoxes} boxes`);
    const order = yield* curveOrder(boxes);
    let level = Array.from(order, (box) => boxes[box] as BoundingBox);
    const levels = level.length === 0 ? [] : [level];
    while (level.length > 1) {
      yield;
      level = yield* parentsOf(level);
      levels.push(level);
    }
    yield;
    return new BoxTree(order, levels);
  }

  /** Calls `onMatch` for each box that has a point in common with this one, with its index in `order`. */
  search(west: number, south: number, east: number, north: number, onMatch: (leaf: number) => void): void {
    const root = this.#starts.length - 2;
    if (root >= 0) this.#visit(root, this.#starts[root] ?? 0, west, south, east, north, onMatch);
  }

  #visit(
    level: number,
    from: number,
    west: number,
    south: number,
    east: number,
    north: number,
    onMatch: (leaf: number) => void,
  ): void {
    const boxes = this.#boxes;
    const starts = this.#starts;
    const end = 4 * Math.min(from + nodeSize, starts[level + 1] as number);
    for (let at = 4 * from; at < end; at += 4) {
      if ((boxes[at] as number) > east || (boxes[at + 2] as number) < west) continue;
      if ((boxes[at + 1] as number) > north || (boxes[at + 3] as number) < south) continue;
      const node = at / 4;
      if (level === 0) onMatch(node);
      else {
        const first = (starts[level - 1] as number) + (node - (starts[level] as number)) * nodeSize;
        this.#visit(level - 1, first, west, south, east, north, onMatch);
      }
    }
  }
}

/** The nodes above a level. */
function* parentsOf(level: ReadonlyArray<BoundingBox>): Generator<undefined, Array<BoundingBox>> {
  const parents: Array<BoundingBox> = [];
  for (let first = 0; first < level.length; first += nodeSize) {
    parents.push(unionOf(level.slice(first, first + nodeSize)));
    if (parents.length % stepSize === 0) yield;
  }
  return parents;
}

const unionOf = (boxes: ReadonlyArray<BoundingBox>): BoundingBox => {
  let [west, south, east, north] = [Infinity, Infinity, -Infinity, -Infinity];
  for (const box of boxes) {
    west = Math.min(west, box[0]);
    south = Math.min(south, box[1]);
    east = Math.max(east, box[2]);
    north = Math.max(north, box[3]);
  }
  return [west, south, east, north];
};

/** The indexes of the boxes in the order of their centres along a Hilbert curve. */
function* curveOrder(boxes: ReadonlyArray<BoundingBox>): Generator<undefined, Uint32Array> {
  const [west, south, east, north] = unionOf(boxes);
  const across = curveEnd / (2 * (east - west) || 1);
  const up = curveEnd / (2 * (north - south) || 1);
  const keys = new Float64Array(boxes.length);
  for (let index = 0; index < boxes.length; index++) {
    const box = boxes[index] as BoundingBox;
    const x = Math.floor((box[0] + box[2] - 2 * west) * across);
    const y = Math.floor((box[1] + box[3] - 2 * south) * up);
    keys[index] = distanceOnCurve(x, y) * maxBoxes + index;
    if (index % stepSize === 0) yield;
  }
  keys.sort();
  return Uint32Array.from(keys, (key) => key % maxBoxes);
}

/** How far along the curve a cell lies: two bits for its quadrant, then the same within that quadrant. */
const distanceOnCurve = (column: number, row: number): number => {
  let x = column;
  let y = row;
  let distance = 0;
  for (let side = (curveEnd + 1) / 2; side >= 1; side /= 2) {
    const right = (x & side) > 0;
    const upper = (y & side) > 0;
    distance = 4 * distance + (right ? (upper ? 2 : 3) : upper ? 1 : 0);
    if (upper) continue;
    if (right) {
      x = curveEnd - x;
      y = curveEnd - y;
    }
    [x, y] = [y, x];
  }
  return distance;
};
