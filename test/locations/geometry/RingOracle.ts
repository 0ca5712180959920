import type { GeoPosition, Ring } from "../../../src/locations/Location.ts";

/** Slow and simple versions of RingSweep and of the orientation test, in exact integers. */

/** Exact for coordinates that are 0 or at least 2^-347, about 1e-104, in magnitude. */
const exact = (value: number): bigint => BigInt(value * 2 ** 400);

type Point = readonly [bigint, bigint];
type Edge = { readonly ring: number; readonly a: Point; readonly b: Point };

export const exactTurn = (a: GeoPosition, b: GeoPosition, c: GeoPosition): -1 | 0 | 1 =>
  sign(cross(point(a), point(b), point(c)));

/** Whether any two edges cross or overlap, or a ring passes through itself or another at a position. */
export const clashes = (rings: ReadonlyArray<Ring>): boolean => {
  const edges = rings.flatMap((ring, number) => edgesOf(ring, number));
  return (
    edges.some((e, i) => edges.slice(i + 1).some((f) => crosses(e, f) || overlap(e, f))) ||
    passesThrough(rings, edges)
  );
};

/** Twice the signed area: positive for a counter-clockwise ring. */
export const isCounterClockwise = (ring: Ring): boolean =>
  edgesOf(ring, 0).reduce((sum, { a, b }) => sum + a[0] * b[1] - a[1] * b[0], 0n) > 0n;

/** The innermost ring around each ring, if no rings clash. */
export const parentsOf = (rings: ReadonlyArray<Ring>): ReadonlyArray<number | null> => {
  const around = rings.map((ring, i) =>
    rings.flatMap((other, j) => (i !== j && isInside(ring, other) ? [j] : [])),
  );
  const depth = (i: number): number => around[i]?.length ?? 0;
  return around.map((outer) => outer.toSorted((i, j) => depth(j) - depth(i))[0] ?? null);
};

const point = ([x, y]: GeoPosition): Point => [exact(x), exact(y)];

const edgesOf = (ring: Ring, number: number): ReadonlyArray<Edge> =>
  ring.slice(1).map((to, i) => ({ ring: number, a: point(ring[i] ?? to), b: point(to) }));

const sign = (value: bigint): -1 | 0 | 1 => (value > 0n ? 1 : value < 0n ? -1 : 0);

const cross = (a: Point, b: Point, c: Point): bigint =>
  (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);

const same = (a: Point, b: Point): boolean => a[0] === b[0] && a[1] === b[1];

const crosses = (e: Edge, f: Edge): boolean =>
  sign(cross(e.a, e.b, f.a)) * sign(cross(e.a, e.b, f.b)) < 0 &&
  sign(cross(f.a, f.b, e.a)) * sign(cross(f.a, f.b, e.b)) < 0;

const overlap = (e: Edge, f: Edge): boolean => {
  if (cross(e.a, e.b, f.a) !== 0n || cross(e.a, e.b, f.b) !== 0n) return false;
  const along = (p: Point): bigint =>
    (p[0] - e.a[0]) * (e.b[0] - e.a[0]) + (p[1] - e.a[1]) * (e.b[1] - e.a[1]);
  const low = along(f.a) < along(f.b) ? along(f.a) : along(f.b);
  const high = along(f.a) < along(f.b) ? along(f.b) : along(f.a);
  return low < along(e.b) && high > 0n;
};

/** Whether at some vertex two visits interleave; a visit comes from one point and goes to another. */
const passesThrough = (rings: ReadonlyArray<Ring>, edges: ReadonlyArray<Edge>): boolean => {
  const visits = rings.flatMap((ring) => {
    const points = ring.slice(1).map(point);
    return points.map((at, i) => ({
      at,
      from: points.at(i - 1) ?? at,
      to: points[(i + 1) % points.length] ?? at,
    }));
  });
  return visits.some(({ at, from, to }, i) => {
    const others = [
      ...visits.filter((visit, j) => j > i && same(visit.at, at)),
      ...edges.filter((e) => passes(e, at)).map((e) => ({ from: e.a, to: e.b })),
    ];
    return others.some((other) => between(at, from, to, other.from) !== between(at, from, to, other.to));
  });
};

/** Whether a point lies on an edge, but not at its ends. */
const passes = ({ a, b }: Edge, p: Point): boolean =>
  cross(a, b, p) === 0n && (p[0] - a[0]) * (p[0] - b[0]) + (p[1] - a[1]) * (p[1] - b[1]) < 0n;

/** Whether p comes before `to` when turning left around `at`, starting at `from`. */
const between = (at: Point, from: Point, to: Point, p: Point): boolean => {
  const left = (a: Point, b: Point): boolean => cross(at, a, b) > 0n;
  if (left(from, to)) return left(from, p) && left(p, to);
  if (left(to, from)) return !(left(to, p) && left(p, from));
  return left(from, p);
};

const isInside = (ring: Ring, other: Ring): boolean => {
  const edges = edgesOf(other, 0);
  const samples = edgesOf(ring, 0).flatMap(({ a, b }) =>
    [8n, 4n, 3n, 13n].map((part): Point => [
      (a[0] * part + b[0] * (16n - part)) / 16n,
      (a[1] * part + b[1] * (16n - part)) / 16n,
    ]),
  );
  const free = samples.find((p) => !edges.some((e) => cross(e.a, e.b, p) === 0n));
  if (free === undefined) throw new Error("No sample of the ring lies off the lines of the other ring");
  const crossed = edges.filter(
    ({ a, b }) =>
      a[1] > free[1] !== b[1] > free[1] && (b[1] > a[1] ? cross(a, b, free) > 0n : cross(a, b, free) < 0n),
  );
  return crossed.length % 2 === 1;
};
