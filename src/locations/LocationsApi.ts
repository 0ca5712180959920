import { Schema } from "effect";
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api";
import { Needs } from "../access/Access.ts";
import { Idempotency } from "../http/Idempotency.ts";
import { Instant } from "../time/Instant.ts";
import {
  bodyErrors,
  NotFound,
  PayloadTooLarge,
  Unprocessable,
  UnsupportedMediaType,
} from "../wire/ApiError.ts";
import { Data, Deleted, PageOf, PageQuery } from "../wire/Envelope.ts";
import { BodyRules } from "../wire/RequestBody.ts";
import { shownText } from "../wire/ShownFields.ts";
import { FeatureCollection, ImportReport } from "./LocationImport.ts";
import { locationSearchParameters } from "./LocationSearch.ts";
import {
  LocationGroupNames,
  LocationPatch,
  LocationPoints,
  LocationResource,
  LocationShape,
} from "./LocationResource.ts";

const params = {
  location: shownText("Id of the location.", "01980a6c-0f3e-7c52-9a41-3f1f5d7a2b60"),
};

const DryRun = Schema.Literals(["1", "true", "0", "false"]).annotate({
  description: "`1` returns the results of the import and writes nothing.",
  examples: ["1"],
  message: "The dry run must be 1 or 0.",
});

/** Query parameter that makes an import a dry run. */
const dryRunParameter = { dry_run: Schema.optionalKey(DryRun) };

/** Whether an import is a dry run. */
export const isDryRun = (query: { readonly dry_run?: typeof DryRun.Type }): boolean =>
  query.dry_run === "1" || query.dry_run === "true";

/** Body of an import under both of its content types. */
const importBody = [
  FeatureCollection,
  FeatureCollection.annotate({ identifier: "FeatureCollectionAsGeoJson" }).pipe(
    HttpApiSchema.asJson({ contentType: "application/geo+json" }),
  ),
] as const;

/** Limits of an import's body: 20 MiB, JSON or GeoJSON. */
export const importBodyRules = {
  maxBytes: 20 * 1_048_576,
  contentTypes: ["application/json", "application/geo+json"],
  isStreamed: true,
};

/** The parts of an endpoint that changes a location by this body. */
const changeOf = <Body extends Schema.Top>(payload: Body) => ({
  params,
  payload,
  success: Data(LocationResource),
  error: [NotFound, ...bodyErrors] as const,
});

/** Endpoints that import, list, show, change and delete locations. */
export class LocationsApi extends HttpApiGroup.make("locations")
  .add(
    HttpApiEndpoint.get("list", "/locations", {
      query: {
        ...PageQuery,
        updated_since: Schema.optionalKey(
          Instant.annotate({
            description:
              "Only locations updated at or after this ISO 8601 date-time or date; UTC if it has no offset.",
          }),
        ),
        ...locationSearchParameters,
      },
      success: PageOf(LocationResource),
      error: [Unprocessable],
    })
      .annotate(Needs, "locations:read")
      .annotate(OpenApi.Summary, "List locations")
      .annotate(OpenApi.Description, "Newest first."),

    HttpApiEndpoint.get("points", "/locations/points", {
      query: { group: locationSearchParameters.group, q: locationSearchParameters.q },
      headers: {
        "if-none-match": Schema.optionalKey(
          shownText(
            "The `ETag` of an earlier response: 304 without a body if nothing has changed since.",
            'W/"qXK2v0"',
          ),
        ),
      },
      success: [LocationPoints, HttpApiSchema.Empty(304)],
      error: [Unprocessable],
    })
      .annotate(Needs, "locations:read")
      .annotate(OpenApi.Summary, "List the points of all locations")
      .annotate(
        OpenApi.Description,
        "All locations at once, for a map: one small row each, without pages. The response is compressed " +
          "for clients that accept gzip, and its `ETag` changes with every change of a location in it.",
      ),

    HttpApiEndpoint.post("import", "/locations/import", {
      query: dryRunParameter,
      payload: importBody,
      success: Data(ImportReport),
      error: [Unprocessable, PayloadTooLarge, UnsupportedMediaType],
    })
      .annotate(BodyRules, importBodyRules)
      .annotate(Needs, "locations:write")
      .middleware(Idempotency)
      .annotate(OpenApi.Summary, "Import locations from GeoJSON")
      .annotate(
        OpenApi.Description,
        "Creates a location from each feature of a FeatureCollection, or updates the one with its " +
          "`external_id`. An invalid feature fails alone, with the reasons; all others are written in one " +
          "transaction. At most 10,000 features and 20 MiB.",
      ),

    HttpApiEndpoint.get("get", "/locations/:location", {
      params,
      success: Data(LocationResource),
      error: [NotFound],
    })
      .annotate(Needs, "locations:read")
      .annotate(OpenApi.Summary, "Show a location"),

    HttpApiEndpoint.patch("update", "/locations/:location", changeOf(LocationPatch))
      .annotate(Needs, "locations:write")
      .middleware(Idempotency)
      .annotate(OpenApi.Summary, "Change a location")
      .annotate(
        OpenApi.Description,
        "Fields that are left out keep their value. A shape that is sent back as it is changes nothing; " +
          "another one is refused, as shape and groups have their own endpoints.",
      ),

    HttpApiEndpoint.put("setShape", "/locations/:location/shape", changeOf(LocationShape))
      .annotate(Needs, "locations:write")
      .middleware(Idempotency)
      .annotate(OpenApi.Summary, "Change the shape of a location")
      .annotate(
        OpenApi.Description,
        "By the rules of an import. The location keeps its id, reports and campaigns; positions count by " +
          "the new shape from the next request on.",
      ),

    HttpApiEndpoint.put("setGroups", "/locations/:location/groups", changeOf(LocationGroupNames))
      .annotate(Needs, "locations:write")
      .middleware(Idempotency)
      .annotate(OpenApi.Summary, "Put a location into groups")
      .annotate(
        OpenApi.Description,
        "The location is in exactly these groups from then on. Missing groups are made; one that becomes " +
          "empty stays.",
      ),

    HttpApiEndpoint.delete("delete", "/locations/:location", { params, success: Deleted, error: [NotFound] })
      .annotate(Needs, "locations:write")
      .middleware(Idempotency)
      .annotate(OpenApi.Summary, "Delete a location")
      .annotate(
        OpenApi.Description,
        "Also removes it from its groups and from the campaigns that target it. Its events still count in " +
          "the totals of reports.",
      ),
  )
  .annotate(OpenApi.Title, "Locations")
  .annotate(OpenApi.Description, "Circles and polygons that geo campaigns target.") {}
