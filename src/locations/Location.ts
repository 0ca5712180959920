import { Schema } from "effect";

/** A GeoJSON position in degrees (WGS 84): -180 to 180 east, -90 to 90 north, no altitude (contract G2). */
export type GeoPosition = readonly [longitude: number, latitude: number];

/** A closed line: the first and the last position are equal, and no other two neighbours are. */
export type Ring = ReadonlyArray<GeoPosition>;

/** The centre of a circle. */
interface PointGeometry {
  readonly type: "Point";
  readonly coordinates: GeoPosition;
}

/** A polygon: first the exterior ring, counter-clockwise, then the holes, clockwise (RFC 7946). */
export interface PolygonGeometry {
  readonly type: "Polygon";
  readonly coordinates: ReadonlyArray<Ring>;
}

/** The GeoJSON geometry of a location. */
export type Geometry = PointGeometry | PolygonGeometry;

/** The two types of location. */
export const ShapeType = Schema.Literals(["circle", "polygon"]);
export type ShapeType = typeof ShapeType.Type;

/** The shape of a location; the radius of a circle is in whole metres. */
export type Shape =
  | { readonly type: "circle"; readonly geometry: PointGeometry; readonly radiusMeters: number }
  | { readonly type: "polygon"; readonly geometry: PolygonGeometry; readonly radiusMeters: null };
