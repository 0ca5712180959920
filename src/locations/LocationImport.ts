import { Schema } from "effect";
import { MAX_FEATURES } from "./ImportLimits.ts";
import { nullableInteger, nullableText, shownId, shownInteger } from "../wire/ShownFields.ts";

/** The problem of a list with too many features. */
export const tooManyFeatures = "The features must be at most 10,000: split the file into several imports.";

const featureJson = {
  type: "object",
  description:
    "A Point with properties.radius (50 to 1000 metres) becomes a circle, a Polygon a polygon. " +
    "An invalid feature fails alone.",
  properties: {
    type: { const: "Feature" },
    geometry: {
      type: "object",
      properties: {
        type: { enum: ["Point", "Polygon", "MultiPolygon"] },
        coordinates: { type: "array", items: {} },
      },
      required: ["type", "coordinates"],
    },
    properties: {
      type: "object",
      properties: {
        name: { type: "string", maxLength: 255, description: "Name of the location." },
        radius: { type: "number", minimum: 50, maximum: 1000, description: "Radius of a Point, in metres." },
        external_id: {
          type: ["string", "null"],
          maxLength: 255,
          description: "Your own id: an existing location with it is updated.",
        },
        group: {
          type: ["string", "null"],
          maxLength: 255,
          description: "Name of the group that the location is added to; created if it does not exist.",
        },
      },
      required: ["name"],
    },
  },
  required: ["type", "geometry", "properties"],
};

/** Body of an import: a GeoJSON FeatureCollection. Each feature succeeds or fails by itself. */
export const FeatureCollection = Schema.Struct({
  type: Schema.Literal("FeatureCollection").annotate({
    description: "Always FeatureCollection.",
    examples: ["FeatureCollection"],
    message: "The type must be FeatureCollection: send a GeoJSON FeatureCollection.",
  }),
  features: Schema.Array(Schema.Unknown)
    .annotate({
      description: "The features to import, at most 10,000; may be empty.",
      examples: [
        [
          {
            type: "Feature",
            geometry: { type: "Point", coordinates: [4.8936, 52.3731] },
            properties: { name: "Dam Square", radius: 150, external_id: "store-0042", group: "Amsterdam" },
          },
        ],
      ],
      message: "The features must be a list of GeoJSON features.",
    })
    .check(
      Schema.makeFilter((features: ReadonlyArray<unknown>) => features.length <= MAX_FEATURES, {
        message: tooManyFeatures,
        toJsonSchema: () => ({ maxItems: MAX_FEATURES, items: featureJson }),
      }),
    ),
}).annotate({ identifier: "FeatureCollection" });
const featureCount = (what: string, example: number) => shownInteger(`How many features ${what}.`, example);

/** The result of one feature. */
export const FeatureResult = Schema.Struct({
  index: shownInteger("Position of the feature in `features`, from 0.", 0),
  status: Schema.Literals(["created", "updated", "skipped", "failed"]).annotate({
    description: "skipped: over the plan's `max_locations`; failed: see the reasons.",
    examples: ["created"],
  }),
  name: nullableText("Name of the feature; null if it has no valid one.", "Dam Square"),
  id: Schema.optionalKey(
    shownId(
      "Id of the location that was created or updated; absent if there is none (yet).",
      "01980a6c-0f3e-7c52-9a41-3f1f5d7a2b60",
    ),
  ),
  reasons: Schema.NullOr(Schema.Array(Schema.String)).annotate({
    description: "Why the feature was skipped or failed, as sentences; null otherwise.",
    examples: [["The radius must be between 50 and 1000 metres; this feature has 20."]],
  }),
}).annotate({ identifier: "FeatureResult" });
export type FeatureResult = typeof FeatureResult.Type;

/** The response of an import. */
export const ImportReport = Schema.Struct({
  dry_run: Schema.Boolean.annotate({
    description: "Whether it was a dry run, which writes nothing.",
    examples: [false],
  }),
  room: Schema.optionalKey(
    nullableInteger(
      "Of a dry run: how many more locations the plan allows after these features; null without a limit.",
      400,
    ),
  ),
  results: Schema.Array(FeatureResult).annotate({
    description: "One result for each feature, in the order in which they were sent.",
    examples: [[{ index: 0, status: "created", name: "Dam Square", reasons: null }]],
  }),
  summary: Schema.Struct({
    created: featureCount("created a location", 1),
    updated: featureCount("updated one", 0),
    skipped: featureCount("were skipped", 0),
    failed: featureCount("failed", 0),
  }),
}).annotate({ identifier: "ImportReport" });
export type ImportReport = typeof ImportReport.Type;
