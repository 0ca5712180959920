import { bbox } from "@turf/bbox";
import type { GeoPosition } from "../Location.ts";

/**
 * West, south, east and north in degrees, as RFC 7946 has it: west is greater than east where the box crosses the
 * antimeridian.
 */
export type BoundingBox = readonly [west: number, south: number, east: number, north: number];

/** The earth's mean radius in metres (IUGG), the one that distances are measured by. */
export const EARTH_RADIUS_METERS = 6371008.8;

/** The box that holds all points at most `radiusMeters` from the centre; all longitudes where a pole is among them. */
export const boxOfCircle = ([longitude, latitude]: GeoPosition, radiusMeters: number): BoundingBox => {
  // A millionth more, so that rounding leaves no point of the circle outside.
  const angle = (radiusMeters * (1 + 1e-6)) / EARTH_RADIUS_METERS;
  const south = latitude - degrees(angle);
  const north = latitude + degrees(angle);
  if (south <= -90 || north >= 90) return [-180, Math.max(south, -90), 180, Math.min(north, 90)];
  const reach = degrees(Math.asin(Math.sin(angle) / Math.cos((latitude * Math.PI) / 180)));
  return [wrapped(longitude - reach), south, wrapped(longitude + reach), north];
};

/** The box of positions, which never crosses the antimeridian. Without positions, its west is Infinity. */
export const boxOfPositions = (positions: ReadonlyArray<GeoPosition>): BoundingBox => {
  // Turf declares mutable arrays, but only reads them.
  const coordinates = positions as Array<[number, number]>;
  const [west, south, east, north] = bbox({ type: "LineString", coordinates });
  return [west, south, east, north] as BoundingBox;
};

const degrees = (radians: number): number => (radians * 180) / Math.PI;

const wrapped = (longitude: number): number =>
  longitude < -180 ? longitude + 360 : longitude > 180 ? longitude - 360 : longitude;
