import { boxOfPositions, EARTH_RADIUS_METERS } from "./BoundingBox.ts";
import { capOf, chordSquared, directionOf, type Direction } from "./SphericalCap.ts";
import type { PolygonGeometry, GeoPosition } from "../Location.ts";

/** A circle on the earth; the radius in whole metres. */
export interface BoundingCircle {
  readonly longitude: number;
  readonly latitude: number;
  readonly radiusMeters: number;
}

/** How far a piece of an edge may bend away from its ends, as a share of the circle. */
const SLACK = 4e-3;

/** A quarter of a turn, in radians: no polygon that spans 180° of longitude at most needs a larger circle. */
const QUARTER = Math.PI / 2;

/**
 * A circle that holds the whole polygon, hardly larger than the smallest one. A polygon's edges are straight in longitude and
 * latitude (RFC 7946), so on the sphere they bend away from the shortest line between their ends: long ones are measured
 * along the way. Distances are those of a sphere with the earth's mean radius.
 */
export const boundingCircle = ({ coordinates }: PolygonGeometry): BoundingCircle => {
  const shell = coordinates[0] ?? [];
  const corners = shell.map(directionOf);
  const rough = capOf(corners);
  // Chords and bends are in radii of the earth; a tenth of a metre is no bend.
  const slack = Math.max(SLACK * Math.sqrt(rough.chordSquared), 0.1 / EARTH_RADIUS_METERS);
  const long = shell.some((position, place) => bendOf(shell[place - 1] ?? position, position) > slack);
  const points = long ? shell.flatMap((to, place) => alongEdge(shell[place - 1] ?? to, to, slack)) : corners;
  const { centre } = long ? capOf(points) : rough;

  let chord = 0;
  let bend = 0;
  for (const point of points) chord = Math.max(chord, chordSquared(centre, point));
  for (const [place, to] of shell.entries())
    bend = Math.max(bend, Math.min(slack, bendOf(shell[place - 1] ?? to, to)));
  const angle = 2 * Math.asin(Math.min(1, (Math.sqrt(chord) + bend) / 2));
  if (angle > QUARTER) return hemisphereOf(shell);
  const [longitude, latitude] = positionOf(centre);
  // A millionth more for what rounding took away; of a polygon smaller than that nothing is left.
  const radiusMeters = Math.max(1, Math.ceil(angle * EARTH_RADIUS_METERS * (1 + 1e-6)));
  return { longitude, latitude, radiusMeters };
};

/** In radii of the earth: how far an edge can lie from the straight chord between its ends at most: an eighth of its largest second derivative. */
export const bendOf = ([x1, y1]: GeoPosition, [x2, y2]: GeoPosition): number => {
  const across = Math.abs(x2 - x1) * RADIANS;
  const along = Math.abs(y2 - y1) * RADIANS;
  // Meridians meet at the poles: what counts is how far they are apart where the edge is nearest to the equator.
  const nearest = y1 * y2 <= 0 ? 0 : Math.min(Math.abs(y1), Math.abs(y2));
  return (along ** 2 + 2 * across * along + across ** 2 * Math.cos(nearest * RADIANS)) / 8;
};

/** The end of an edge, and before it as many points along it as keep every piece's bend within the slack. */
const alongEdge = (from: GeoPosition, to: GeoPosition, slack: number): ReadonlyArray<Direction> => {
  const pieces = Math.max(1, Math.ceil(Math.sqrt(bendOf(from, to) / slack)));
  return Array.from({ length: pieces }, (_, piece) => {
    const share = (piece + 1) / pieces;
    return directionOf([from[0] + share * (to[0] - from[0]), from[1] + share * (to[1] - from[1])]);
  });
};

const hemisphereOf = (shell: ReadonlyArray<GeoPosition>): BoundingCircle => {
  const [west, , east] = boxOfPositions(shell);
  return {
    longitude: (west + east) / 2,
    latitude: 0,
    radiusMeters: Math.ceil(QUARTER * EARTH_RADIUS_METERS),
  };
};

const positionOf = ([x, y, z]: Direction): GeoPosition => [
  Math.atan2(y, x) / RADIANS,
  Math.atan2(z, Math.hypot(x, y)) / RADIANS,
];

const RADIANS = Math.PI / 180;
