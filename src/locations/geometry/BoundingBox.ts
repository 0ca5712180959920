/**
 * Bounding boxes, in degrees. The box of positions is exact. The box of a circle is that of a spherical cap:
 * its meridians lie asin(sin(radius) / cos(latitude)) from the centre, farther than a flat map suggests. It
 * is larger than the circle by a millionth, so that rounding leaves no point of the circle outside.
 */
import { bbox } from "@turf/bbox";
import type { GeoPosition } from "../Location.ts";

/** Degrees in the order of RFC 7946; west is greater than east where the box crosses the antimeridian. */
export type BoundingBox = readonly [west: number, south: number, east: number, north: number];

/** The earth's mean radius in metres (IUGG), also Turf's; all distances are measured on this sphere. */
export const EARTH_RADIUS_METERS = 6_371_008.8;

/** The box of all points at most `radiusMeters` from the centre; it has all longitudes if one is a pole. */
export const boxOfCircle = ([longitude, latitude]: GeoPosition, radiusMeters: number): BoundingBox => {
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
