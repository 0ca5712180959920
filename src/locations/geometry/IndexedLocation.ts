import { type BoundingBox, boxOfCircle, boxOfPositions, EARTH_RADIUS_METERS } from "./BoundingBox.ts";
import type { GeoPosition } from "../Location.ts";
import { type Direction, directionOf } from "./SphericalCap.ts";

/** A polygon's rings, packed: longitude and latitude in turns, and for each ring where it ends, in numbers. */
export interface Outline {
  readonly coordinates: Float64Array;
  readonly ends: Uint32Array;
}

/** The shape of a location as it is searched: 16 bytes for a position of a polygon, about 500 for the rest. */
export interface IndexedLocation {
  readonly key: number;
  readonly id: string;
  /** Rises with every change of the shape. */
  readonly revision: number;
  readonly longitude: number;
  readonly latitude: number;
  readonly centre: Direction;
  /** The radius of a circle, or of the circle around a polygon, in radians. */
  readonly radius: number;
  readonly box: BoundingBox;
  /** Null for a circle. */
  readonly outline: Outline | null;
}

/** A location's shape as it is stored. */
export interface StoredLocation {
  readonly key: number;
  readonly id: string;
  readonly revision: number;
  readonly longitude: number;
  readonly latitude: number;
  readonly radius_meters: number;
  readonly rings: ReadonlyArray<ReadonlyArray<GeoPosition>> | null;
}

/** Makes a stored shape ready to be searched. */
export const toIndexedLocation = (row: StoredLocation): IndexedLocation => {
  const { id, latitude, longitude, key, radius_meters, revision, rings } = row;
  const outline = rings === null ? null : outlineOf(rings);
  return {
    key,
    id,
    revision,
    longitude,
    latitude,
    centre: directionOf([longitude, latitude]),
    radius: radius_meters / EARTH_RADIUS_METERS,
    box:
      outline === null ? boxOfCircle([longitude, latitude], radius_meters) : boxOfPositions(rings?.[0] ?? []),
    outline,
  };
};

/** How many positions a place holds in memory, by which the memory of all places is bounded. */
export const positionsHeld = ({ outline }: IndexedLocation): number =>
  32 + (outline === null ? 0 : outline.coordinates.length / 2);

const outlineOf = (rings: ReadonlyArray<ReadonlyArray<GeoPosition>>): Outline => {
  const coordinates = new Float64Array(2 * rings.reduce((sum, ring) => sum + ring.length, 0));
  const ends = new Uint32Array(rings.length);
  let at = 0;
  rings.forEach((ring, index) => {
    for (const [longitude, latitude] of ring) {
      coordinates[at++] = longitude;
      coordinates[at++] = latitude;
    }
    ends[index] = at;
  });
  return { coordinates, ends };
};
