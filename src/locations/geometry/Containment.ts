import { orient2d } from "robust-predicates";
import type { GeoPosition } from "../Location.ts";
import type { Outline, IndexedLocation } from "./IndexedLocation.ts";
import { chordSquared, directionOf } from "./SphericalCap.ts";

/**
 * Whether a place holds a position, its border included: a circle by the great-circle distance on a sphere with the earth's mean radius
 * (6,371,008.8 m), a polygon by its edges, which are straight in longitude and latitude (RFC 7946), exactly. 180° and
 * -180° are the same meridian, and a pole is one point.
 */
export const holds = (place: IndexedLocation, position: GeoPosition): boolean => {
  if (place.outline === null) {
    const chord = 2 * Math.sin(place.radius / 2);
    return chordSquared(place.centre, directionOf(position)) <= chord * chord;
  }
  const [longitude, latitude] = position;
  const [west, south, east, north] = place.box;
  // A polygon reaches a pole only with a position that lies there.
  if (latitude === 90) return north === 90;
  if (latitude === -90) return south === -90;
  if (latitude < south || latitude > north) return false;
  if (longitude >= west && longitude <= east && isWithin(place.outline, longitude, latitude)) return true;
  return (longitude === 180 || longitude === -180) && isWithin(place.outline, -longitude, latitude);
};

/** Whether an odd number of rings is around the position, or it lies on one. */
const isWithin = ({ coordinates, ends }: Outline, x: number, y: number): boolean => {
  let inside = false;
  let start = 0;
  for (const end of ends) {
    const found = sideOf(coordinates, start, end, x, y);
    if (found === ON) return true;
    if (found === INSIDE) inside = !inside;
    start = end;
  }
  return inside;
};

/** Whether a single closed ring, packed, is around the position, or it lies on the ring. */
export const isInRing = (ring: Float64Array, x: number, y: number): boolean =>
  sideOf(ring, 0, ring.length, x, y) !== OUTSIDE;

const OUTSIDE = 0;
const INSIDE = 1;
const ON = 2;

/** Counts the edges of a ring that a line from the position to the east crosses. */
const sideOf = (coordinates: Float64Array, start: number, end: number, x: number, y: number): 0 | 1 | 2 => {
  let inside = false;
  let ax = coordinates[start] as number;
  let ay = coordinates[start + 1] as number;
  let isAbove = ay > y;
  for (let at = start + 2; at < end; at += 2) {
    const by = coordinates[at + 1] as number;
    const bx = coordinates[at] as number;
    const wasAbove = isAbove;
    isAbove = by > y;
    if (wasAbove !== isAbove) {
      if (ax > x && bx > x) inside = !inside;
      else if (ax >= x || bx >= x) {
        const side = orient2d(ax, ay, bx, by, x, y);
        if (side === 0) return ON;
        if (side > 0 === ay > by) inside = !inside;
      }
    } else if (by === y && (bx === x || (ay === y && ax > x !== bx > x))) return ON;
    ax = bx;
    ay = by;
  }
  return inside ? INSIDE : OUTSIDE;
};
