/**
 * The smallest spherical cap around directions. Lengths are chords, in radii of the earth. A cap around two
 * or three of the directions grows by the farthest one until it contains all, in linear time per round.
 */
import { chordSquared, cross, type Direction, dot, minus } from "./Direction.ts";

/** All directions within a chord of the centre. */
export interface SphericalCap {
  readonly centre: Direction;
  /** The square of the chord from the centre to the rim. */
  readonly chordSquared: number;
}

/** Rounds of `capOf`. Real outlines need about ten; the limit bounds the time of hostile ones. */
const MAX_ROUNDS = 64;

/** How far beyond the rim a point may lie, as a factor on the square: less than a millionth of the radius. */
const TOLERANCE = 1 + 1e-6;

/** The smallest cap around directions of one hemisphere, to a millionth of its radius. */
export const capOf = (points: ReadonlyArray<Direction>): SphericalCap => {
  const first = points[0] ?? [1, 0, 0];
  let rim: ReadonlyArray<Direction> = [first];
  let best: SphericalCap = { centre: first, chordSquared: Infinity };
  let cap: SphericalCap = { centre: first, chordSquared: 0 };
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const far = farthest(cap.centre, points);
    if (far.chordSquared < best.chordSquared) best = { centre: cap.centre, chordSquared: far.chordSquared };
    if (far.chordSquared <= cap.chordSquared * TOLERANCE) break;
    ({ cap, rim } = smallestCap([...rim, far.point]));
  }
  return best;
};

const farthest = (centre: Direction, points: ReadonlyArray<Direction>) => {
  let point = centre;
  let max = 0;
  for (const candidate of points) {
    const chord = chordSquared(centre, candidate);
    if (chord <= max) continue;
    max = chord;
    point = candidate;
  }
  return { point, chordSquared: max };
};

/** The smallest cap around two to four points, and the points on its rim. */
const smallestCap = (points: ReadonlyArray<Direction>) => {
  let smallest: { readonly cap: SphericalCap; readonly rim: ReadonlyArray<Direction> } | undefined;
  const consider = (centre: Direction | undefined, rim: ReadonlyArray<Direction>) => {
    if (centre === undefined) return;
    const cap = { centre, chordSquared: farthest(centre, points).chordSquared };
    if (smallest === undefined || cap.chordSquared < smallest.cap.chordSquared) smallest = { cap, rim };
  };
  points.forEach((a, i) => {
    points.slice(i + 1).forEach((b, j) => {
      consider(unit([a[0] + b[0], a[1] + b[1], a[2] + b[2]]), [a, b]);
      points.slice(i + j + 2).forEach((c) => consider(equidistant(a, b, c), [a, b, c]));
    });
  });
  return smallest ?? { cap: { centre: points[0] ?? [1, 0, 0], chordSquared: 4 }, rim: points.slice(0, 1) };
};

/** The direction that is equally far from all three; undefined if two of them are equal. */
const equidistant = (a: Direction, b: Direction, c: Direction): Direction | undefined => {
  const normal = unit(cross(minus(b, a), minus(c, a)));
  return normal !== undefined && dot(normal, a) < 0 ? minus([0, 0, 0], normal) : normal;
};

const unit = ([x, y, z]: Direction): Direction | undefined => {
  const length = Math.hypot(x, y, z);
  return length > 1e-300 ? [x / length, y / length, z / length] : undefined;
};
