import { boundingCircle } from "./geometry/BoundingCircle.ts";
import { type ParsedFeature, readFeature, type RejectedFeature } from "./GeoJsonImport.ts";
import type { ShapeType } from "./Location.ts";

/**
 * A location as a row stores it: a circle, or a polygon's rings as JSON text and the circle around them.
 * Text, so that neither a thread nor a statement copies millions of numbers.
 */
export interface ImportedLocation extends Pick<ParsedFeature, "_tag" | "name" | "externalId" | "group"> {
  readonly type: ShapeType;
  readonly latitude: number;
  readonly longitude: number;
  readonly radiusMeters: number;
  readonly rings: string | null;
}

/** Reads one feature. Accepts any JSON value and never throws. */
export const importedLocation = (feature: unknown): ImportedLocation | RejectedFeature => {
  const read = readFeature(feature);
  if (read._tag === "RejectedFeature") return read;
  const { _tag, externalId, group, name, shape } = read;
  if (shape.type === "polygon") {
    const rings = JSON.stringify(shape.geometry.coordinates);
    return { _tag, name, externalId, group, type: shape.type, rings, ...boundingCircle(shape.geometry) };
  }
  const [longitude, latitude] = shape.geometry.coordinates;
  const { radiusMeters, type } = shape;
  return { _tag, name, externalId, group, type, latitude, longitude, radiusMeters, rings: null };
};
