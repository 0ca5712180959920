import { orient2d } from "robust-predicates";
import type { GeoPosition, Ring } from "../Location.ts";

/** Two rings, or twice the same one, that cross or run along each other, and where: the first place from the west. */
export interface RingClash {
  readonly _tag: "Crossing" | "Overlap";
  readonly rings: readonly [number, number];
  readonly at: GeoPosition;
}

/**
 * How closed rings lie to each other. `Apart`: none crosses or runs along itself or another, touching in single points
 * aside; for each ring whether it runs counter-clockwise, and the ring that encloses it most closely (null: none).
 */
export type RingSweep =
  | {
      readonly _tag: "Apart";
      readonly counterClockwise: ReadonlyArray<boolean>;
      readonly parents: ReadonlyArray<number | null>;
    }
  | RingClash;

/**
 * Sweeps a line from west to east over the edges of all rings (Shamos and Hoey), in n log n steps and with exact answers.
 * Expects closed rings of at least three different positions, without equal neighbours and not all on one line.
 *
 * Positions are visited west to east, then south to north, so a vertical edge counts as leaning east by next to nothing.
 * The line holds the edges that it cuts, south to north. At each position those that end, pass through or start there are
 * next to each other, all others keep their order, and only edges that became neighbours can cross further east.
 */
export const sweepRings = (rings: ReadonlyArray<Ring>): RingSweep => {
  const line: Array<Edge> = [];
  const counterClockwise: Array<boolean> = rings.map(() => true);
  const parents: Array<number | null | undefined> = rings.map(() => undefined);

  for (const { at, edges } of stopsOf(edgesOf(rings))) {
    const start = firstNotSouthOf(line, at);
    const behind = touching(line, start, at);
    const through = behind.filter((edge) => compare(edge.east, at) !== 0);
    const ahead = edges.filter((edge) => compare(edge.west, at) === 0).concat(through);
    ahead.sort((a, b) => -turn(at, a.east, b.east));
    const clash = overlapIn(ahead, at) ?? crossingAt(at, ahead, behind);
    if (clash !== undefined) return clash;

    line.splice(start, behind.length, ...ahead);
    let south = line[start - 1];
    for (const edge of ahead) {
      if (parents[edge.ring] === undefined) {
        // At a ring's first position its southernmost edge has the outside to the south: it tells the direction.
        counterClockwise[edge.ring] = edge.eastward;
        if (south === undefined) parents[edge.ring] = null;
        else if (south.eastward === counterClockwise[south.ring]) parents[edge.ring] = south.ring;
        else parents[edge.ring] = parents[south.ring] ?? null;
      }
      south = edge;
    }

    const end = start + ahead.length;
    const next = crossingOf(line[start - 1], line[start]) ?? crossingOf(line[end - 1], line[end]);
    if (next !== undefined) return next;
  }
  return { _tag: "Apart", counterClockwise, parents: parents.map((parent) => parent ?? null) };
};

/** A piece of a ring; `west` and `east` are its ends in the order of the sweep. */
interface Edge {
  readonly ring: number;
  readonly from: GeoPosition;
  readonly west: GeoPosition;
  readonly east: GeoPosition;
  /** Whether the ring runs from `west` to `east` here. */
  readonly eastward: boolean;
  /** The ring's visits to a position that this edge begins and ends with, numbered over all rings. */
  readonly fromVisit: number;
  readonly toVisit: number;
}

const edgesOf = (rings: ReadonlyArray<Ring>): ReadonlyArray<Edge> => {
  const edges: Array<Edge> = [];
  rings.forEach((positions, ring) => {
    const first = edges.length;
    const last = first + positions.length - 2;
    let from: GeoPosition | undefined;
    for (const to of positions) {
      if (from !== undefined) {
        const eastward = compare(from, to) < 0;
        const [west, east] = eastward ? [from, to] : [to, from];
        const fromVisit = edges.length;
        edges.push({
          ring,
          from,
          west,
          east,
          eastward,
          fromVisit,
          toVisit: fromVisit === last ? first : fromVisit + 1,
        });
      }
      from = to;
    }
  });
  return edges;
};

/** A position and all edges that have an end there. */
interface Stop {
  readonly at: GeoPosition;
  readonly edges: Array<Edge>;
}

const stopsOf = (edges: ReadonlyArray<Edge>): ReadonlyArray<Stop> => {
  const ends = edges.flatMap((edge) => [
    { at: edge.west, edge },
    { at: edge.east, edge },
  ]);
  ends.sort((a, b) => compare(a.at, b.at));
  const stops: Array<Stop> = [];
  let stop: Stop | undefined;
  for (const { at, edge } of ends) {
    if (stop === undefined || compare(stop.at, at) !== 0) {
      stop = { at, edges: [] };
      stops.push(stop);
    }
    stop.edges.push(edge);
  }
  return stops;
};

/** The sweep's order of positions: west before east, then south before north. */
const compare = (a: GeoPosition, b: GeoPosition): number => a[0] - b[0] || a[1] - b[1];

/** Positive where a → b → c turns left, negative where right, 0 where straight on or back. */
const turn = (a: GeoPosition, b: GeoPosition, c: GeoPosition): number =>
  -orient2d(a[0], a[1], b[0], b[1], c[0], c[1]);

/** Positive where the position lies north of the edge, negative south of it, 0 on its line. */
const side = (edge: Edge, at: GeoPosition): number => turn(edge.west, edge.east, at);

const firstNotSouthOf = (line: ReadonlyArray<Edge>, at: GeoPosition): number => {
  let low = 0;
  let high = line.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const edge = line[middle];
    if (edge !== undefined && side(edge, at) > 0) low = middle + 1;
    else high = middle;
  }
  return low;
};

/** The edges of the line from `start` on that hold the position, south to north. */
const touching = (line: ReadonlyArray<Edge>, start: number, at: GeoPosition): ReadonlyArray<Edge> => {
  const edges: Array<Edge> = [];
  for (let i = start; i < line.length; i++) {
    const edge = line[i];
    if (edge === undefined || side(edge, at) !== 0) break;
    edges.push(edge);
  }
  return edges;
};

/** Edges that go on from one position in the same direction lie on each other. */
const overlapIn = (ahead: ReadonlyArray<Edge>, at: GeoPosition): RingClash | undefined => {
  let south: Edge | undefined;
  for (const edge of ahead) {
    if (south !== undefined && turn(at, south.east, edge.east) === 0) {
      return { _tag: "Overlap", rings: [south.ring, edge.ring], at };
    }
    south = edge;
  }
  return undefined;
};

/**
 * Where rings come by one position several times, each visit comes in by one edge and leaves by another. Going around the
 * position, the two must match like brackets; where they interleave, one visit passes through the other.
 */
const crossingAt = (
  at: GeoPosition,
  ahead: ReadonlyArray<Edge>,
  behind: ReadonlyArray<Edge>,
): RingClash | undefined => {
  if (ahead.length + behind.length === 2) return undefined;
  const open: Array<{ readonly visit: number; readonly ring: number }> = [];
  for (const edge of [...ahead, ...behind.toReversed()]) {
    const visit = visitOf(edge, at);
    if (open.at(-1)?.visit === visit) open.pop();
    else open.push({ visit, ring: edge.ring });
  }
  const [a, b] = open;
  return a && b ? { _tag: "Crossing", rings: [a.ring, b.ring], at } : undefined;
};

/** An edge that passes through a position visits it on its own: a number that no end has. */
const visitOf = (edge: Edge, at: GeoPosition): number => {
  if (compare(edge.from, at) === 0) return edge.fromVisit;
  const ends = compare(edge.west, at) === 0 || compare(edge.east, at) === 0;
  return ends ? edge.toVisit : -1 - edge.fromVisit;
};

/** Whether two edges cross inside both; that they touch or overlap shows at the position where they do. */
const crossingOf = (a: Edge | undefined, b: Edge | undefined): RingClash | undefined => {
  if (a === undefined || b === undefined) return undefined;
  const west = side(a, b.west);
  const east = side(a, b.east);
  if (!opposite(west, east) || !opposite(side(b, a.west), side(b, a.east))) return undefined;
  const share = west / (west - east);
  const x = b.west[0] + share * (b.east[0] - b.west[0]);
  const y = b.west[1] + share * (b.east[1] - b.west[1]);
  return { _tag: "Crossing", rings: [a.ring, b.ring], at: [x, y] };
};

const opposite = (a: number, b: number): boolean => (a > 0 && b < 0) || (a < 0 && b > 0);
