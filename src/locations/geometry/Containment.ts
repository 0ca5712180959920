/**
 * Whether a location contains a position, its border included. A circle contains what lies within its radius
 * on a sphere with the earth's mean radius, to a nanometre. A polygon contains what its edges, straight in
 * longitude and latitude (RFC 7946), enclose: exactly, as the sign of robust-predicates' `orient2d` decides
 * each doubtful edge. 180° and -180° are the same meridian, and a pole is one point. Every position of a
 * device passes through here, so rings are packed arrays that are read without allocation.
 */
import { orient2d } from "robust-predicates";
import type { GeoPosition } from "../Location.ts";
import { chordSquared, directionOf } from "./Direction.ts";
import type { IndexedLocation, Outline } from "./IndexedLocation.ts";

/** Whether a location contains a position, its border included. */
export const contains = (location: IndexedLocation, position: GeoPosition): boolean => {
  if (location.outline === null) {
    const chord = 2 * Math.sin(location.radius / 2);
    return chordSquared(location.centre, directionOf(position)) <= chord * chord;
  }
  const [longitude, latitude] = position;
  const [west, south, east, north] = location.box;
  // A polygon contains a pole only if one of its positions lies there.
  if (latitude === 90) return north === 90;
  if (latitude === -90) return south === -90;
  if (latitude < south || latitude > north) return false;
  if (longitude >= west && longitude <= east && isInRings(location.outline, longitude, latitude)) return true;
  return (longitude === 180 || longitude === -180) && isInRings(location.outline, -longitude, latitude);
};

/** Whether an odd number of rings enclose the position, or it lies on one. */
const isInRings = ({ coordinates, ends }: Outline, x: number, y: number): boolean => {
  let isInside = false;
  let start = 0;
  for (const end of ends) {
    const side = sideOfRing(coordinates, start, end, x, y);
    if (side === ON) return true;
    if (side === INSIDE) isInside = !isInside;
    start = end;
  }
  return isInside;
};

/** Whether one closed ring, packed, encloses the position, or the position lies on it. */
export const isInRing = (ring: Float64Array, x: number, y: number): boolean =>
  sideOfRing(ring, 0, ring.length, x, y) !== OUTSIDE;

const OUTSIDE = 0;
const INSIDE = 1;
const ON = 2;

/** Counts the edges of a ring that a ray from the position to the east crosses. */
const sideOfRing = (
  coordinates: Float64Array,
  start: number,
  end: number,
  x: number,
  y: number,
): 0 | 1 | 2 => {
  let isInside = false;
  let ax = coordinates[start] as number;
  let ay = coordinates[start + 1] as number;
  let isAbove = ay > y;
  for (let at = start + 2; at < end; at += 2) {
    const by = coordinates[at + 1] as number;
    const bx = coordinates[at] as number;
    const wasAbove = isAbove;
    isAbove = by > y;
    if (wasAbove !== isAbove) {
      if (ax > x && bx > x) isInside = !isInside;
      else if (ax >= x || bx >= x) {
        // Negative where the position lies to the left of the edge.
        const side = orient2d(ax, ay, bx, by, x, y);
        if (side === 0) return ON;
        if (side < 0 === by > ay) isInside = !isInside;
      }
    } else if (by === y && (bx === x || (ay === y && ax > x !== bx > x))) return ON;
    ax = bx;
    ay = by;
  }
  return isInside ? INSIDE : OUTSIDE;
};
