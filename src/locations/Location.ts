import { Schema } from "effect";

/** Degrees east, -180 to 180 (WGS 84, as RFC 7946 has it). */
const Longitude = Schema.Finite.check(Schema.isBetween({ minimum: -180, maximum: 180 }));

/** Degrees north, -90 to 90 (WGS 84, as RFC 7946 has it). */
const Latitude = Schema.Finite.check(Schema.isBetween({ minimum: -90, maximum: 90 }));

/** A GeoJSON position: longitude first, then latitude; altitude is dropped (contract G2). */
export const GeoPosition = Schema.Tuple([Longitude, Latitude]);
export type GeoPosition = typeof GeoPosition.Type;

/** A closed line of positions, first and last the same; no two positions in a row are equal. */
export const Ring = Schema.Array(GeoPosition);
export type Ring = typeof Ring.Type;

/** The GeoJSON geometry of a circle's centre. */
const PointGeometry = Schema.Struct({ type: Schema.Literal("Point"), coordinates: GeoPosition });

/** The GeoJSON geometry of a polygon as RFC 7946 wants it: exterior first and counter-clockwise, holes clockwise. */
export const PolygonGeometry = Schema.Struct({
  type: Schema.Literal("Polygon"),
  coordinates: Schema.Array(Ring),
});
export type PolygonGeometry = typeof PolygonGeometry.Type;

/** What a location's `geometry` shows. */
export const Geometry = Schema.Union([PointGeometry, PolygonGeometry]);
export type Geometry = typeof Geometry.Type;

/** The two types of location. */
export const ShapeType = Schema.Literals(["circle", "polygon"]);
export type ShapeType = typeof ShapeType.Type;

/** The smallest radius of a circle, in metres. */
export const MIN_RADIUS_METERS = 50;

/** The largest radius of a circle, in metres. */
export const MAX_RADIUS_METERS = 1000;

/** A circle's radius: whole metres, 50 to 1000. */
const RadiusMeters = Schema.Int.check(
  Schema.isBetween({ minimum: MIN_RADIUS_METERS, maximum: MAX_RADIUS_METERS }),
);

/** All points at most `radiusMeters` from the centre. */
const Circle = Schema.Struct({
  type: Schema.Literal("circle"),
  geometry: PointGeometry,
  radiusMeters: RadiusMeters,
});

/** All points within the exterior ring and in none of the holes. */
const Polygon = Schema.Struct({
  type: Schema.Literal("polygon"),
  geometry: PolygonGeometry,
  radiusMeters: Schema.Null,
});

/** The shape of a location; `type` tells which. */
export const Shape = Schema.Union([Circle, Polygon]);
export type Shape = typeof Shape.Type;
