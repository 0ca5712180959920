/**
 * How the rings of a polygon lie to each other: whether they cross or overlap, how each is wound, and which
 * encloses which. A line sweeps from west to east over the edges of all rings (Shamos and Hoey, 1976), in
 * n log n time. Coordinates are degrees on a plane, as edges are straight in longitude and latitude (RFC
 * 7946). Every decision is the sign of robust-predicates' `orient2d`. It is exact for coordinates that are 0
 * or at least 1e-100 in magnitude, so rounding can neither accept a crossing nor reject a touch. Only the
 * reported position of a crossing is rounded. docs/decisions/0003-geojson-ring-sweep.md compares Turf.
 */
import { orient2d } from "robust-predicates";
import type { GeoPosition, Ring } from "../Location.ts";

/** Two rings, or one ring twice, that cross or run along each other, and the first position found. */
export interface RingClash {
  readonly _tag: "Crossing" | "Overlap";
  readonly rings: readonly [number, number];
  readonly at: GeoPosition;
}

/**
 * The result of a sweep. `Apart`: rings touch themselves and each other in single points at most. `parents`
 * has the innermost ring around each ring, or null.
 */
export type RingSweep =
  | {
      readonly _tag: "Apart";
      readonly isCounterClockwise: ReadonlyArray<boolean>;
      readonly parents: ReadonlyArray<number | null>;
    }
  | RingClash;

/**
 * Expects closed rings of at least three different positions, without equal neighbours, not all on one line.
 *
 * Vertices are visited from west to east, then from south to north, so a vertical edge counts as leaning
 * slightly east. The active edges are those that the line cuts, from south to north. At each vertex, the
 * edges that end, pass through or start there are neighbours, all others keep their order, and only new
 * neighbours can cross further east.
 */
export const sweepRings = (rings: ReadonlyArray<Ring>): RingSweep => {
  const active: Array<Edge> = [];
  const isCounterClockwise: Array<boolean> = rings.map(() => true);
  const parents: Array<number | null | undefined> = rings.map(() => undefined);

  for (const { at, edges } of verticesOf(edgesOf(rings))) {
    const start = firstNotSouthOf(active, at);
    const incoming = touching(active, start, at);
    const through = incoming.filter((edge) => compare(edge.east, at) !== 0);
    const outgoing = edges.filter((edge) => compare(edge.west, at) === 0).concat(through);
    outgoing.sort((a, b) => -turn(at, a.east, b.east));
    const clash = findOverlap(outgoing, at) ?? findCrossingAt(at, outgoing, incoming);
    if (clash !== undefined) return clash;

    active.splice(start, incoming.length, ...outgoing);
    let south = active[start - 1];
    for (const edge of outgoing) {
      if (parents[edge.ring] === undefined) {
        // At a ring's first vertex, its outside lies south of its southernmost edge: this one.
        isCounterClockwise[edge.ring] = edge.isEastward;
        if (south === undefined) parents[edge.ring] = null;
        else if (south.isEastward === isCounterClockwise[south.ring]) parents[edge.ring] = south.ring;
        else parents[edge.ring] = parents[south.ring] ?? null;
      }
      south = edge;
    }

    const end = start + outgoing.length;
    const crossing =
      findCrossing(active[start - 1], active[start]) ?? findCrossing(active[end - 1], active[end]);
    if (crossing !== undefined) return crossing;
  }
  return { _tag: "Apart", isCounterClockwise, parents: parents.map((parent) => parent ?? null) };
};

/** An edge of a ring; `west` and `east` are its ends in the order of the sweep. */
interface Edge {
  readonly ring: number;
  readonly from: GeoPosition;
  readonly west: GeoPosition;
  readonly east: GeoPosition;
  /** Whether the ring runs from `west` to `east` here. */
  readonly isEastward: boolean;
  /** The ring's visits to the vertices at which this edge begins and ends, numbered over all rings. */
  readonly fromVisit: number;
  readonly toVisit: number;
}

const edgesOf = (rings: ReadonlyArray<Ring>): ReadonlyArray<Edge> => {
  let visits = 0;
  return rings.flatMap((positions, ring) => {
    const firstVisit = visits;
    visits += positions.length - 1;
    return positions.slice(1).map((to, index): Edge => {
      const from = positions[index] ?? to;
      const isEastward = compare(from, to) < 0;
      const [west, east] = isEastward ? [from, to] : [to, from];
      const fromVisit = firstVisit + index;
      const toVisit = fromVisit + 1 === visits ? firstVisit : fromVisit + 1;
      return { ring, from, west, east, isEastward, fromVisit, toVisit };
    });
  });
};

/** A position and all edges that end there. */
interface Vertex {
  readonly at: GeoPosition;
  readonly edges: Array<Edge>;
}

const verticesOf = (edges: ReadonlyArray<Edge>): ReadonlyArray<Vertex> => {
  const ends = edges.flatMap((edge) => [
    { at: edge.west, edge },
    { at: edge.east, edge },
  ]);
  ends.sort((a, b) => compare(a.at, b.at));
  const vertices: Array<Vertex> = [];
  for (const { at, edge } of ends) {
    const last = vertices.at(-1);
    if (last !== undefined && compare(last.at, at) === 0) last.edges.push(edge);
    else vertices.push({ at, edges: [edge] });
  }
  return vertices;
};

/** The sweep's order of positions: west before east, then south before north. */
const compare = (a: GeoPosition, b: GeoPosition): number => a[0] - b[0] || a[1] - b[1];

/** Positive if a → b → c turns left, negative if right, 0 if straight; `orient2d` has the opposite sign. */
const turn = (a: GeoPosition, b: GeoPosition, c: GeoPosition): number =>
  -orient2d(a[0], a[1], b[0], b[1], c[0], c[1]);

/** Positive if the position lies north of the edge, negative if south, 0 if on its line. */
const side = (edge: Edge, at: GeoPosition): number => turn(edge.west, edge.east, at);

/** The index of the first active edge that does not lie south of the position. */
const firstNotSouthOf = (active: ReadonlyArray<Edge>, at: GeoPosition): number => {
  let low = 0;
  let high = active.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const edge = active[middle];
    if (edge !== undefined && side(edge, at) > 0) low = middle + 1;
    else high = middle;
  }
  return low;
};

/** The active edges from `start` on that contain the position, south to north. */
const touching = (active: ReadonlyArray<Edge>, start: number, at: GeoPosition): ReadonlyArray<Edge> => {
  const edges: Array<Edge> = [];
  for (let i = start; i < active.length; i++) {
    const edge = active[i];
    if (edge === undefined || side(edge, at) !== 0) break;
    edges.push(edge);
  }
  return edges;
};

/** Edges that leave a vertex in the same direction overlap. */
const findOverlap = (outgoing: ReadonlyArray<Edge>, at: GeoPosition): RingClash | undefined => {
  for (const [index, edge] of outgoing.entries()) {
    const south = outgoing[index - 1];
    if (south !== undefined && turn(at, south.east, edge.east) === 0)
      return { _tag: "Overlap", rings: [south.ring, edge.ring], at };
  }
  return undefined;
};

/** Each visit of a ring to a vertex has two edges. Around the vertex, visits must nest like brackets. */
const findCrossingAt = (
  at: GeoPosition,
  outgoing: ReadonlyArray<Edge>,
  incoming: ReadonlyArray<Edge>,
): RingClash | undefined => {
  if (outgoing.length + incoming.length === 2) return undefined;
  const open: Array<{ readonly visit: number; readonly ring: number }> = [];
  for (const edge of [...outgoing, ...incoming.toReversed()]) {
    const visit = visitOf(edge, at);
    if (open.at(-1)?.visit === visit) open.pop();
    else open.push({ visit, ring: edge.ring });
  }
  const [a, b] = open;
  return a && b ? { _tag: "Crossing", rings: [a.ring, b.ring], at } : undefined;
};

/** The visit of an edge to a vertex. An edge that passes through is a visit with a number of its own. */
const visitOf = (edge: Edge, at: GeoPosition): number => {
  if (compare(edge.from, at) === 0) return edge.fromVisit;
  const endsHere = compare(edge.west, at) === 0 || compare(edge.east, at) === 0;
  return endsHere ? edge.toVisit : -1 - edge.fromVisit;
};

/** The point where two edges cross inside both. Touches and overlaps are found at their vertex. */
const findCrossing = (a: Edge | undefined, b: Edge | undefined): RingClash | undefined => {
  if (a === undefined || b === undefined) return undefined;
  const west = side(a, b.west);
  const east = side(a, b.east);
  if (!areOpposite(west, east) || !areOpposite(side(b, a.west), side(b, a.east))) return undefined;
  const share = west / (west - east);
  const x = b.west[0] + share * (b.east[0] - b.west[0]);
  const y = b.west[1] + share * (b.east[1] - b.west[1]);
  return { _tag: "Crossing", rings: [a.ring, b.ring], at: [x, y] };
};

const areOpposite = (a: number, b: number): boolean => (a > 0 && b < 0) || (a < 0 && b > 0);
