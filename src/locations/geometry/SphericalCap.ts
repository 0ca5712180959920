import type { GeoPosition } from "../Location.ts";

/** A unit vector from the centre of the earth. */
export type Direction = readonly [x: number, y: number, z: number];

/** All directions that lie within a chord of the centre. */
export interface SphericalCap {
  readonly centre: Direction;
  /** Square of the straight distance from the centre to the rim, in radii of the earth. */
  readonly chordSquared: number;
}

/** The direction of a position. */
export const directionOf = ([longitude, latitude]: GeoPosition): Direction => {
  const east = (longitude * Math.PI) / 180;
  const north = (latitude * Math.PI) / 180;
  const flat = Math.cos(north);
  return [flat * Math.cos(east), flat * Math.sin(east), Math.sin(north)];
};

/** The square of the straight distance between two directions: exact enough for neighbours, where a cosine is not. */
export const chordSquared = ([ax, ay, az]: Direction, [bx, by, bz]: Direction): number =>
  (ax - bx) ** 2 + (ay - by) ** 2 + (az - bz) ** 2;

/** Every round makes the cap larger; real outlines need about ten, and no hostile one may take for ever. */
const MAX_ROUNDS = 64;

/** How much farther than the rim a point may lie, by the square: less than a millionth of the radius. */
const TOLERANCE = 1 + 1e-6;

/**
 * The smallest cap around directions of one hemisphere, as good as: a cap around two or three of them grows by the
 * farthest one until it holds all. Its chord reaches the farthest of them.
 */
export const capOf = (points: ReadonlyArray<Direction>): SphericalCap => {
  const first = points[0] ?? [1, 0, 0];
  let rim: ReadonlyArray<Direction> = [first];
  let best: SphericalCap = { centre: first, chordSquared: Infinity };
  let cap: SphericalCap = { centre: first, chordSquared: 0 };
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const far = farthest(cap.centre, points);
    if (far.chordSquared < best.chordSquared) best = { centre: cap.centre, chordSquared: far.chordSquared };
    if (far.chordSquared <= cap.chordSquared * TOLERANCE) break;
    ({ cap, rim } = smallestOf([...rim, far.point]));
  }
  return best;
};

const farthest = (centre: Direction, points: ReadonlyArray<Direction>) => {
  let point = centre;
  let most = 0;
  for (const each of points) {
    const chord = chordSquared(centre, each);
    if (chord <= most) continue;
    most = chord;
    point = each;
  }
  return { point, chordSquared: most };
};

/** The smallest cap around two to four points, and those of them that it rests on. */
const smallestOf = (points: ReadonlyArray<Direction>) => {
  let smallest: { readonly cap: SphericalCap; readonly rim: ReadonlyArray<Direction> } | undefined;
  const consider = (centre: Direction | undefined, rim: ReadonlyArray<Direction>) => {
    if (centre === undefined) return;
    const cap = { centre, chordSquared: farthest(centre, points).chordSquared };
    if (smallest === undefined || cap.chordSquared < smallest.cap.chordSquared) smallest = { cap, rim };
  };
  points.forEach((a, i) => {
    points.slice(i + 1).forEach((b, j) => {
      consider(unit([a[0] + b[0], a[1] + b[1], a[2] + b[2]]), [a, b]);
      points.slice(i + j + 2).forEach((c) => consider(amid(a, b, c), [a, b, c]));
    });
  });
  return smallest ?? { cap: { centre: points[0] ?? [1, 0, 0], chordSquared: 4 }, rim: points.slice(0, 1) };
};

/** The direction that is as far from all three; undefined where they lie on one line. */
const amid = (a: Direction, b: Direction, c: Direction): Direction | undefined => {
  const u: Direction = [b[0] - a[0], b[1] - a[1], b[2] - a[2]];
  const v: Direction = [c[0] - a[0], c[1] - a[1], c[2] - a[2]];
  const normal = unit([u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]]);
  if (normal === undefined) return undefined;
  const side = normal[0] * a[0] + normal[1] * a[1] + normal[2] * a[2] < 0 ? -1 : 1;
  return [side * normal[0], side * normal[1], side * normal[2]];
};

const unit = ([x, y, z]: Direction): Direction | undefined => {
  const length = Math.hypot(x, y, z);
  return length > 1e-300 ? [x / length, y / length, z / length] : undefined;
};
