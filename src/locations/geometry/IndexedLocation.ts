/**
 * Locations as they are searched: coordinates in degrees, angles in radians. A polygon's rings are one array
 * of doubles, 16 bytes a position, without objects that the garbage collector would visit.
 */
import type { GeoPosition, Ring } from "../Location.ts";
import { type BoundingBox, boxOfCircle, boxOfPositions, EARTH_RADIUS_METERS } from "./BoundingBox.ts";
import { type Direction, directionOf } from "./Direction.ts";
import type { LocationKey } from "../../wire/Ids.ts";

/** A polygon's rings, packed. */
export interface Outline {
  /** Longitude and latitude alternate. */
  readonly coordinates: Float64Array;
  /** The end of each ring, as an index into `coordinates`. */
  readonly ends: Uint32Array;
}

/** A location as it is searched. */
export interface IndexedLocation {
  readonly key: LocationKey;
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
export interface StoredLocation extends Pick<
  IndexedLocation,
  "key" | "id" | "revision" | "longitude" | "latitude"
> {
  readonly radius_meters: number;
  readonly rings: ReadonlyArray<Ring> | null;
}

/** Prepares a stored shape for searching. */
export const toIndexedLocation = ({ radius_meters, rings, ...row }: StoredLocation): IndexedLocation => {
  const position: GeoPosition = [row.longitude, row.latitude];
  return {
    ...row,
    centre: directionOf(position),
    radius: radius_meters / EARTH_RADIUS_METERS,
    box: rings === null ? boxOfCircle(position, radius_meters) : boxOfPositions(rings[0] ?? []),
    outline: rings === null ? null : packed(rings),
  };
};

/**
 * The memory of a location, in positions of 16 bytes: those of its rings, and 32 (512 bytes) for the rest.
 */
export const memoryOf = ({ outline }: IndexedLocation): number =>
  32 + (outline === null ? 0 : outline.coordinates.length / 2);

const packed = (rings: ReadonlyArray<Ring>): Outline => {
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
