import type { BoundingBox } from "./BoundingBox.ts";

/** Boxes in one node. */
const nodeSize = 16;

/** Boxes that are worked on before others may get their turn. */
const stepSize = 1_000;

/** Bits of a coordinate on the Hilbert curve; a key of two of them and a box's number is a whole number that a double holds. */
const curveBits = 15;
const curveEnd = 2 ** curveBits - 1;
const mostBoxes = 2 ** (53 - 2 * curveBits);

/**
 * Boxes to be searched, packed: along a Hilbert curve, sixteen to a node, in one array without pointers, as R-trees have been packed
 * since Kamel and Faloutsos (1993). It never changes. It knows no antimeridian: west is at most east.
 */
export class BoxTree {
  /** West, south, east and north of each box: the leaves first, then what holds sixteen of them, up to the one that holds all. */
  readonly #boxes: Float64Array;
  /** Where the levels begin, the leaves first, and where the last one ends. */
  readonly #starts: ReadonlyArray<number>;
  /** Which of the boxes, in the order of the leaves. */
  readonly order: Uint32Array;

  private constructor(order: Uint32Array) {
    const starts = [0];
    for (let end = 0, count = order.length; count > 0; count = count === 1 ? 0 : Math.ceil(count / nodeSize))
      starts.push((end += count));
    this.#starts = starts;
    this.#boxes = new Float64Array(4 * (starts.at(-1) ?? 0));
    this.order = order;
  }

  /** Makes the tree in short steps; the longest sorts the boxes, a ten-millionth of a second each. */
  static *making(boxes: ReadonlyArray<BoundingBox>): Generator<void, BoxTree> {
    if (boxes.length > mostBoxes) throw new RangeError(`A tree holds at most ${mostBoxes} boxes`);
    const tree = new BoxTree(yield* alongCurve(boxes));
    for (let leaf = 0; leaf < boxes.length; leaf++) {
      const [west, south, east, north] = boxes[tree.order[leaf] as number] as BoundingBox;
      tree.#put(leaf, west, south, east, north);
      if (leaf % stepSize === 0) yield;
    }
    for (let level = 1; level < tree.#starts.length - 1; level++) yield* tree.#fill(level);
    return tree;
  }

  #put(node: number, west: number, south: number, east: number, north: number): void {
    const boxes = this.#boxes;
    boxes[4 * node] = west;
    boxes[4 * node + 1] = south;
    boxes[4 * node + 2] = east;
    boxes[4 * node + 3] = north;
  }

  /** Puts around each node's boxes one that holds them all. */
  *#fill(level: number): Generator<void> {
    const boxes = this.#boxes;
    const [first = 0, start = 0, end = 0] = this.#starts.slice(level - 1);
    for (let node = start; node < end; node++) {
      const from = first + (node - start) * nodeSize;
      let [west, south, east, north] = [Infinity, Infinity, -Infinity, -Infinity];
      for (let at = 4 * from; at < 4 * Math.min(from + nodeSize, start); at += 4) {
        west = Math.min(west, boxes[at] as number);
        south = Math.min(south, boxes[at + 1] as number);
        east = Math.max(east, boxes[at + 2] as number);
        north = Math.max(north, boxes[at + 3] as number);
      }
      this.#put(node, west, south, east, north);
      if (node % stepSize === 0) yield;
    }
  }

  /** Gives each box that has a point in common with this one, as its place in `order`. */
  search(west: number, south: number, east: number, north: number, found: (leaf: number) => void): void {
    const top = this.#starts.length - 2;
    if (top >= 0) this.#visit(top, this.#starts[top] ?? 0, west, south, east, north, found);
  }

  #visit(
    level: number,
    from: number,
    west: number,
    south: number,
    east: number,
    north: number,
    found: (leaf: number) => void,
  ): void {
    const boxes = this.#boxes;
    const starts = this.#starts;
    const end = 4 * Math.min(from + nodeSize, starts[level + 1] as number);
    for (let at = 4 * from; at < end; at += 4) {
      if ((boxes[at] as number) > east || (boxes[at + 2] as number) < west) continue;
      if ((boxes[at + 1] as number) > north || (boxes[at + 3] as number) < south) continue;
      const node = at / 4;
      if (level === 0) found(node);
      else {
        const first = (starts[level - 1] as number) + (node - (starts[level] as number)) * nodeSize;
        this.#visit(level - 1, first, west, south, east, north, found);
      }
    }
  }
}

/** The numbers of the boxes, neighbours near one another: by where their middles lie on a Hilbert curve over all of them. */
function* alongCurve(boxes: ReadonlyArray<BoundingBox>): Generator<void, Uint32Array> {
  let [west, south, east, north] = [Infinity, Infinity, -Infinity, -Infinity];
  for (const [left, bottom, right, top] of boxes) {
    west = Math.min(west, left + right);
    south = Math.min(south, bottom + top);
    east = Math.max(east, left + right);
    north = Math.max(north, bottom + top);
  }
  const across = curveEnd / (east - west || 1);
  const up = curveEnd / (north - south || 1);
  const keys = new Float64Array(boxes.length);
  for (let box = 0; box < boxes.length; box++) {
    const [left, bottom, right, top] = boxes[box] as BoundingBox;
    const x = Math.floor((left + right - west) * across);
    const y = Math.floor((bottom + top - south) * up);
    keys[box] = onCurve(x, y) * mostBoxes + box;
    if (box % stepSize === 0) yield;
  }
  keys.sort();
  return Uint32Array.from(keys, (key) => key % mostBoxes);
}

/** How far along a Hilbert curve a cell of its square lies: its quarter, then the quarter of that turned to its own curve. */
const onCurve = (column: number, row: number): number => {
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
    const turned = x;
    x = y;
    y = turned;
  }
  return distance;
};
