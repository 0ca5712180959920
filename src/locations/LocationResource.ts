import { Schema } from "effect";
import { nullableText, shownId, shownInteger, shownText } from "../wire/ShownFields.ts";
import { optionalOrNull, optionalText, text, Timestamp } from "../wire/Text.ts";
import { type Geometry, ShapeType } from "./Location.ts";

const positionJson = {
  type: "array",
  description: "Longitude and latitude in degrees (WGS 84).",
  prefixItems: [
    { type: "number", minimum: -180, maximum: 180 },
    { type: "number", minimum: -90, maximum: 90 },
  ],
  minItems: 2,
  maxItems: 2,
};

// A page can have a million positions, all from PostgreSQL: the schema describes them without checking each.
const coordinates = (
  description: string,
  example: ReadonlyArray<unknown>,
  json: Readonly<Record<string, unknown>>,
) =>
  Schema.Array(Schema.Unknown)
    .annotate({ description, examples: [example] })
    .check(Schema.makeFilter(() => true, { toJsonSchema: () => json }));

/** The geometry of a location in responses (contract G2). */
export const GeometryAnswer = Schema.Union([
  Schema.Struct({
    type: Schema.Literal("Point").annotate({ description: "The geometry of a circle.", examples: ["Point"] }),
    coordinates: coordinates("The circle's centre.", [4.8936, 52.3731], positionJson),
  }),
  Schema.Struct({
    type: Schema.Literal("Polygon").annotate({
      description: "The geometry of a polygon.",
      examples: ["Polygon"],
    }),
    coordinates: coordinates(
      "Rings of positions (RFC 7946): the exterior ring counter-clockwise, then the holes clockwise.",
      [
        [
          [4.89, 52.37],
          [4.9, 52.37],
          [4.9, 52.38],
          [4.89, 52.37],
        ],
      ],
      { items: { type: "array", items: positionJson } },
    ),
  }),
]).annotate({
  description: "A circle's centre as a GeoJSON Point, or a GeoJSON Polygon.",
  examples: [{ type: "Point", coordinates: [4.8936, 52.3731] }],
});

const id = shownId("Id of the location.", "01980a6c-0f3e-7c52-9a41-3f1f5d7a2b60");

/** A location as the platform API shows it (contract A3, G1, G2). */
export const LocationResource = Schema.Struct({
  id,
  name: shownText("Name of the location.", "Dam Square"),
  external_id: nullableText(
    "Your own id of the location: an import with the same id updates it.",
    "store-0042",
  ),
  address: nullableText("Address of the location, for people.", "Dam 1, Amsterdam"),
  type: ShapeType.annotate({ description: "The shape of the location.", examples: ["circle"] }),
  geometry: GeometryAnswer,
  radius_meters: Schema.NullOr(Schema.Int).annotate({
    description: "A circle's radius in metres; null for a polygon.",
    examples: [150],
  }),
  groups: Schema.Array(Schema.String).annotate({
    description: "Names of the groups that the location belongs to.",
    examples: [["Amsterdam", "Flagship stores"]],
  }),
  created_at: Timestamp,
  updated_at: Timestamp,
}).annotate({ identifier: "Location" });

const degrees = (description: string, example: number) =>
  Schema.Finite.annotate({ description, examples: [example] });

const LocationPoint = Schema.Tuple([
  id,
  degrees("Longitude of the circle, or of a circle that encloses the polygon.", 4.8936),
  degrees("Latitude of that circle.", 52.3731),
  Schema.NullOr(Schema.Int).annotate({
    description: "A circle's radius in metres; null for a polygon.",
    examples: [150],
  }),
]).annotate({
  identifier: "LocationPoint",
  description: "Id, longitude, latitude and radius of a location.",
  examples: [["01980a6c-0f3e-7c52-9a41-3f1f5d7a2b60", 4.8936, 52.3731, 150]],
});

/** All locations as points (contract CO1). */
export const LocationPoints = Schema.Struct({
  data: Schema.Array(LocationPoint).annotate({
    description: "One row for each location: id, longitude, latitude, radius in metres (null for a polygon).",
    examples: [[["01980a6c-2b11-7e0a-8c55-6d2f9b1a4e01", 4.8936, 52.3731, 150]]],
  }),
  meta: Schema.Struct({ count: shownInteger("How many locations there are.", 10_000) }),
});

/**
 * A location as the platform API shows it; its `geometry` is typed here, and only described by the schema.
 */
export interface LocationResource extends Omit<typeof LocationResource.Type, "geometry"> {
  readonly geometry: Geometry;
}

const texts = {
  name: Schema.optionalKey(
    text({ max: 255, description: "Name of the location; cannot be emptied.", example: "Dam Square" }),
  ),
  address: optionalText({
    max: 255,
    description: "Address of the location, for people; null or empty clears it.",
    example: "Dam 1, Amsterdam",
  }),
  external_id: optionalText({
    max: 255,
    description: "Your own id of the location, unique among locations; null or empty clears it.",
    example: "store-0042",
  }),
};

/** Body of a change: fields that are left out keep their value (contract G1, LO1). */
export const LocationPatch = Schema.Struct(texts).annotate({ identifier: "LocationPatch" });

/** Body of a new shape (contract LO2). */
export const LocationShape = Schema.Struct({
  geometry: GeometryAnswer.annotate({
    description: "A Point, which needs `radius_meters`, or a Polygon, by the rules of an import.",
  }),
  radius_meters: optionalOrNull(
    Schema.Finite.annotate({
      description: "The radius of a Point, 50 to 1000 metres; not read for a polygon.",
      examples: [150],
    }),
  ),
}).annotate({ identifier: "LocationShape" });

/** Body of new groups (contract LO3). */
export const LocationGroupNames = Schema.Struct({
  groups: Schema.Array(Schema.String).annotate({
    description:
      "Names of all groups that the location is in from now on, at most 100; missing ones are made.",
    examples: [["Amsterdam", "Flagship stores"]],
  }),
}).annotate({ identifier: "LocationGroupNames" });

const any = Schema.optionalKey(Schema.Unknown);

/** Shape and groups as they are parsed: the rules of an import read them, and give every reason. */
export const SentLocation = Schema.Struct({ geometry: any, radius_meters: any, type: any, groups: any });
export type SentLocation = typeof SentLocation.Type;

/** A change as it is parsed. */
export const SentLocationPatch = Schema.Struct({ ...texts, ...SentLocation.fields });
export type SentLocationPatch = typeof SentLocationPatch.Type;
