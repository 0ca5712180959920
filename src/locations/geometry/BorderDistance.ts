/**
 * The distance from a position to the edge of a location, in metres on a sphere with the earth's mean radius,
 * to a thousandth or 1 mm. A polygon's edges are straight in longitude and latitude (RFC 7946); Turf's great
 * circles miss an edge of 15° along the 50th parallel by 27 km. So an edge is measured by the great circle
 * between its ends, and halved where it may bend away from that by more than the error allows. A box around
 * the position, as large as the distance of the nearest edge so far, excludes most edges by comparisons.
 */
import type { GeoPosition } from "../Location.ts";
import { boxOfCircle, EARTH_RADIUS_METERS } from "./BoundingBox.ts";
import { bendOf } from "./BoundingCircle.ts";
import { contains } from "./Containment.ts";
import { angleBetween, chordSquared, cross, type Direction, directionOf, dot, minus } from "./Direction.ts";
import type { IndexedLocation, Outline } from "./IndexedLocation.ts";

/** The error of an angle that is allowed: a share of it, or this many radians (0.6 mm) if that is more. */
const ERROR_SHARE = 5e-4;
const MIN_ERROR = 1e-10;

/** The distance to the edge of a location in metres, 0 inside; some number above `max` if it exceeds that. */
export const distanceTo = (location: IndexedLocation, position: GeoPosition, max = Infinity): number => {
  if (contains(location, position)) return 0;
  const point = directionOf(position);
  if (location.outline === null) return minDistanceTo(location, point);
  const maxAngle = Math.min(max / EARTH_RADIUS_METERS, Math.PI);
  const limit = maxAngle * (1 + 2 * ERROR_SHARE) + MIN_ERROR;
  return nearestEdge(location.outline, position, point, limit) * EARTH_RADIUS_METERS;
};

/** A cheap lower bound of the distance: to a circle, or to the circle around a polygon, in metres. */
export const minDistanceTo = (location: IndexedLocation, point: Direction): number =>
  Math.max(0, angleBetween(location.centre, point) - location.radius) * EARTH_RADIUS_METERS;

/** The angle to the nearest edge in radians, or `max` if none is nearer. */
const nearestEdge = (
  { coordinates, ends }: Outline,
  position: GeoPosition,
  point: Direction,
  max: number,
): number => {
  let best = max;
  let [west, south, east, north] = boxOfCircle(position, best * EARTH_RADIUS_METERS);
  let start = 0;
  for (const end of ends) {
    for (let at = start + 2; at < end; at += 2) {
      const ax = coordinates[at - 2] as number;
      const ay = coordinates[at - 1] as number;
      const bx = coordinates[at] as number;
      const by = coordinates[at + 1] as number;
      if ((ay > north && by > north) || (ay < south && by < south)) continue;
      if (west <= east && ((ax > east && bx > east) || (ax < west && bx < west))) continue;
      const angle = angleToEdge(point, [ax, ay], [bx, by], best);
      if (angle >= best) continue;
      best = angle;
      [west, south, east, north] = boxOfCircle(position, best * EARTH_RADIUS_METERS);
    }
    start = end;
  }
  return best;
};

/** The angle to an edge if it is below `best`, else `best`. The nearer half of an edge is measured first. */
const angleToEdge = (point: Direction, from: GeoPosition, to: GeoPosition, best: number): number => {
  const angle = angleToArc(point, directionOf(from), directionOf(to));
  // Edge and great circle each lie within one bend of the chord. Half a bend is for the earth's curvature.
  const error = 2.5 * bendOf(from, to);
  if (angle - error >= best) return best;
  if (error <= Math.max(ERROR_SHARE * angle, MIN_ERROR)) return Math.min(best, angle);
  const middle: GeoPosition = [(from[0] + to[0]) / 2, (from[1] + to[1]) / 2];
  const isFirst = chordSquared(point, directionOf(from)) < chordSquared(point, directionOf(to));
  const [near, far] = isFirst ? [from, to] : [to, from];
  return angleToEdge(point, middle, far, angleToEdge(point, near, middle, best));
};

/** The angle from a point to the great-circle arc from a to b; differences keep it exact for short arcs. */
const angleToArc = (p: Direction, a: Direction, b: Direction): number => {
  const normal = cross(a, minus(b, a));
  const length = Math.hypot(...normal);
  if (length > 0 && dot(cross(normal, a), minus(p, a)) > 0 && dot(cross(b, normal), minus(p, b)) > 0) {
    return Math.asin(Math.min(1, Math.abs(dot(minus(p, a), normal)) / length));
  }
  return Math.min(angleBetween(p, a), angleBetween(p, b));
};
