import { Schema, SchemaTransformation } from "effect";
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api";
import { DeviceAccess } from "../devices/DeviceAccess.ts";
import { ShapeType } from "../locations/Location.ts";
import { GeometryAnswer } from "../locations/LocationResource.ts";
import { Unprocessable } from "../wire/ApiError.ts";
import { Data } from "../wire/Envelope.ts";
import { shownId, shownText } from "../wire/ShownFields.ts";
import { wholeParameter } from "../wire/Text.ts";
import { Latitude, Longitude } from "./Position.ts";

/** Degrees in a query: a decimal number, not everything that JavaScript's `Number` accepts. */
const parameter = (degrees: typeof Latitude, limit: number) =>
  Schema.String.check(
    Schema.isPattern(/^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/, {
      message: `The {field} must be a number of degrees from -${limit} to ${limit}.`,
    }),
  ).pipe(Schema.decodeTo(degrees, SchemaTransformation.transform({ decode: Number, encode: String })));

const GeofenceQuery = {
  lat: parameter(Latitude, 90),
  lng: parameter(Longitude, 180),
  limit: Schema.optionalKey(
    wholeParameter({
      min: 1,
      max: 100,
      description: "Maximum number; 20 if left out.",
      example: 20,
    }),
  ),
};

/** A location that a device monitors. */
export const Geofence = Schema.Struct({
  location_id: shownId("Id of the location.", "01980a6c-2b11-7e0a-8c55-6d2f9b1a4e01"),
  name: shownText("Name of the location.", "Dam Square"),
  type: ShapeType.annotate({
    description: "`circle` or `polygon`.",
    examples: ["circle"],
  }),
  center: Schema.Struct({
    latitude: Schema.Finite.annotate({ description: "Degrees north.", examples: [52.3731] }),
    longitude: Schema.Finite.annotate({ description: "Degrees east.", examples: [4.8936] }),
  }).annotate({ description: "Centre of the circle, or of a circle that encloses the polygon." }),
  radius_meters: Schema.Finite.annotate({
    description:
      "Radius of the circle, or of a circle that encloses the polygon, as the geofencing of phones takes it.",
    examples: [150],
  }),
  geometry: GeometryAnswer,
  distance_meters: Schema.Finite.annotate({
    description: "Metres to the location's edge, to a tenth; 0 inside.",
    examples: [412.7],
  }),
}).annotate({ identifier: "Geofence" });
export type Geofence = typeof Geofence.Type;

/** Geofences for devices. */
export class GeofencesApi extends HttpApiGroup.make("geofences")
  .add(
    HttpApiEndpoint.get("nearest", "/geofences", {
      query: GeofenceQuery,
      headers: {
        "if-none-match": Schema.optionalKey(
          shownText(
            "The `ETag` of an earlier response: 304 without a body if nothing has changed since.",
            '"qXK2v0"',
          ),
        ),
      },
      success: [Data(Schema.Array(Geofence)), HttpApiSchema.Empty(304)],
      error: [Unprocessable],
    })
      .annotate(OpenApi.Summary, "List the nearest geofences")
      .annotate(
        OpenApi.Description,
        "The nearest locations that an active or scheduled campaign of the environment targets, directly " +
          "or by a group: by distance to the edge, then id. iOS monitors 20 regions at a time, so request " +
          "again when the device has moved. The response has an `ETag`.",
      ),
  )
  .middleware(DeviceAccess)
  .annotate(OpenApi.Title, "Geofences")
  .annotate(
    OpenApi.Description,
    "Locations for devices that detect enters and exits themselves, instead of reporting positions.",
  ) {}
