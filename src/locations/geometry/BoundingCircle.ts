/**
 * The circle around a polygon, on a sphere with the earth's mean radius: centre in degrees, radius in whole
 * metres. It contains the whole polygon and is at most 1 % and 2 m larger than the smallest such circle.
 * An edge is straight in longitude and latitude (RFC 7946), so on the sphere it bends away from the shortest
 * path between its ends, and a circle around the corners would miss it: by 3,000 km for an edge of 170° along
 * the 60th parallel. So long edges are divided until each piece bends little, and that bend is added.
 */
import type { GeoPosition, PolygonGeometry } from "../Location.ts";
import { boxOfPositions, EARTH_RADIUS_METERS } from "./BoundingBox.ts";
import { type Direction, directionOf, positionOf } from "./Direction.ts";
import { capOf } from "./SphericalCap.ts";

/** A circle on the earth: centre in degrees, radius in whole metres. */
export interface BoundingCircle {
  readonly longitude: number;
  readonly latitude: number;
  readonly radiusMeters: number;
}

/** How far a piece of an edge may bend away from its ends, as a share of the circle's radius. */
const SLACK_SHARE = 4e-3;

/** Edges that bend less are not divided: 0.1 m, in radii of the earth. */
const MIN_SLACK = 0.1 / EARTH_RADIUS_METERS;

/** 90° in radians: the radius of a hemisphere, which contains every polygon of at most 180° of longitude. */
const QUARTER_CIRCLE = Math.PI / 2;

/** The circle around the exterior ring of a polygon. */
export const boundingCircle = ({ coordinates }: PolygonGeometry): BoundingCircle => {
  const shell = coordinates[0] ?? [];
  const rough = capOf(shell.map(directionOf));
  const slack = Math.max(SLACK_SHARE * Math.sqrt(rough.chordSquared), MIN_SLACK);
  const bends = shell.map((to, index) => bendOf(shell[index - 1] ?? to, to));
  const maxBend = bends.reduce((max, bend) => Math.max(max, bend), 0);
  const cap =
    maxBend > slack
      ? capOf(shell.flatMap((to, index) => divideEdge(shell[index - 1] ?? to, to, slack)))
      : rough;
  const angle = 2 * Math.asin(Math.min(1, (Math.sqrt(cap.chordSquared) + Math.min(maxBend, slack)) / 2));
  if (angle > QUARTER_CIRCLE) return hemisphereAround(shell);
  const [longitude, latitude] = positionOf(cap.centre);
  // A millionth more, so that rounding leaves no point outside.
  const radiusMeters = Math.max(1, Math.ceil(angle * EARTH_RADIUS_METERS * (1 + 1e-6)));
  return { longitude, latitude, radiusMeters };
};

/** The most an edge bends away from its chord, in earth radii: 1/8 of its largest second derivative. */
export const bendOf = ([x1, y1]: GeoPosition, [x2, y2]: GeoPosition): number => {
  const across = Math.abs(x2 - x1) * RADIANS;
  const along = Math.abs(y2 - y1) * RADIANS;
  // Meridians converge towards the poles, so a parallel bends most where the edge is nearest to the equator.
  const nearest = y1 * y2 <= 0 ? 0 : Math.min(Math.abs(y1), Math.abs(y2));
  return (along ** 2 + 2 * across * along + across ** 2 * Math.cos(nearest * RADIANS)) / 8;
};

/** Points along an edge up to its end, so many that the bend of every piece is within the slack. */
const divideEdge = (from: GeoPosition, to: GeoPosition, slack: number): ReadonlyArray<Direction> => {
  const pieces = Math.max(1, Math.ceil(Math.sqrt(bendOf(from, to) / slack)));
  return Array.from({ length: pieces }, (_, piece) => {
    const share = (piece + 1) / pieces;
    return directionOf([from[0] + share * (to[0] - from[0]), from[1] + share * (to[1] - from[1])]);
  });
};

const hemisphereAround = (shell: ReadonlyArray<GeoPosition>): BoundingCircle => {
  const [west, , east] = boxOfPositions(shell);
  const radiusMeters = Math.ceil(QUARTER_CIRCLE * EARTH_RADIUS_METERS);
  return { longitude: (west + east) / 2, latitude: 0, radiusMeters };
};

const RADIANS = Math.PI / 180;
