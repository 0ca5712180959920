import { boxOfCircle, EARTH_RADIUS_METERS } from "./BoundingBox.ts";
import { bendOf } from "./BoundingCircle.ts";
import type { GeoPosition } from "../Location.ts";
import type { Outline, IndexedLocation } from "./IndexedLocation.ts";
import { holds } from "./Containment.ts";
import { chordSquared, type Direction, directionOf } from "./SphericalCap.ts";

/** How far a distance may be off, as a share of it; and in radians where that is less (half a millimetre). */
const SHARE = 5e-4;
const LEAST = 1e-10;

/**
 * The distance from a position to the edge of a place in metres, 0 inside, to a thousandth: along the sphere with the earth's mean
 * radius, to edges that are straight in longitude and latitude. Where it is over `most`, some number over `most`.
 */
export const distanceTo = (place: IndexedLocation, position: GeoPosition, most = Infinity): number => {
  if (holds(place, position)) return 0;
  const point = directionOf(position);
  if (place.outline === null) {
    return Math.max(0, angleOf(place.centre, point) - place.radius) * EARTH_RADIUS_METERS;
  }
  const far = Math.min(most / EARTH_RADIUS_METERS, Math.PI);
  return nearestEdge(place.outline, position, point, far * (1 + 2 * SHARE) + LEAST) * EARTH_RADIUS_METERS;
};

/** What the distance to the edge is at least, in metres, at the cost of one arc. */
export const leastDistanceTo = (place: IndexedLocation, point: Direction): number =>
  Math.max(0, angleOf(place.centre, point) - place.radius) * EARTH_RADIUS_METERS;

/** The angle to the nearest edge in radians, or `most` where none is nearer. */
const nearestEdge = (
  { coordinates, ends }: Outline,
  position: GeoPosition,
  point: Direction,
  most: number,
): number => {
  let best = most;
  let [west, south, east, north] = boxOfCircle(position, best * EARTH_RADIUS_METERS);
  let start = 0;
  for (const end of ends) {
    for (let at = start + 2; at < end; at += 2) {
      const ax = coordinates[at - 2] as number;
      const ay = coordinates[at - 1] as number;
      const bx = coordinates[at] as number;
      const by = coordinates[at + 1] as number;
      // Most edges lie outside the box around the position that reaches as far as the nearest edge up to now.
      if ((ay > north && by > north) || (ay < south && by < south)) continue;
      if (west <= east && ((ax > east && bx > east) || (ax < west && bx < west))) continue;
      const nearer = alongEdge(point, [ax, ay], [bx, by], best);
      if (nearer >= best) continue;
      best = nearer;
      [west, south, east, north] = boxOfCircle(position, best * EARTH_RADIUS_METERS);
    }
    start = end;
  }
  return best;
};

/**
 * The angle to an edge, if it is below `best`: measured to the great circle between its ends, and where the edge may bend too far away
 * from that, to its halves, the nearer one first.
 */
const alongEdge = (point: Direction, from: GeoPosition, to: GeoPosition, best: number): number => {
  const angle = arcAngle(point, directionOf(from), directionOf(to));
  // Chord and circle lie on either side of each other by no more than the bend; the rest is room for the earth being round.
  const error = 2.5 * bendOf(from, to);
  if (angle - error >= best) return best;
  if (error <= Math.max(SHARE * angle, LEAST)) return Math.min(best, angle);
  const middle: GeoPosition = [(from[0] + to[0]) / 2, (from[1] + to[1]) / 2];
  const isFirst = chordSquared(point, directionOf(from)) < chordSquared(point, directionOf(to));
  const [near, far] = isFirst ? [from, to] : [to, from];
  return alongEdge(point, middle, far, alongEdge(point, near, middle, best));
};

/** The angle between two directions, in radians. */
const angleOf = (a: Direction, b: Direction): number =>
  2 * Math.asin(Math.min(1, Math.sqrt(chordSquared(a, b)) / 2));

/** The angle from a point to the great-circle arc between two directions; differences keep it exact for short arcs. */
const arcAngle = (p: Direction, a: Direction, b: Direction): number => {
  const normal = cross(a, minus(b, a));
  const length = Math.hypot(...normal);
  if (length > 0 && dot(cross(normal, a), minus(p, a)) > 0 && dot(cross(b, normal), minus(p, b)) > 0) {
    return Math.asin(Math.min(1, Math.abs(dot(minus(p, a), normal)) / length));
  }
  return Math.min(angleOf(p, a), angleOf(p, b));
};

const minus = ([ax, ay, az]: Direction, [bx, by, bz]: Direction): Direction => [ax - bx, ay - by, az - bz];

const dot = ([ax, ay, az]: Direction, [bx, by, bz]: Direction): number => ax * bx + ay * by + az * bz;

const cross = ([ax, ay, az]: Direction, [bx, by, bz]: Direction): Direction => [
  ay * bz - az * by,
  az * bx - ax * bz,
  ax * by - ay * bx,
];
