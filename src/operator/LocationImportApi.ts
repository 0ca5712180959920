import { Schema } from "effect";
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api";
import { ImportReport } from "../locations/LocationImport.ts";
import { dryRunParameter, importBody, importBodyRules } from "../locations/LocationsApi.ts";
import { bodyErrors, Conflict, NotFound } from "../wire/ApiError.ts";
import { Data } from "../wire/Envelope.ts";
import { isUuid } from "../wire/Ids.ts";
import { BodyRules } from "../wire/RequestBody.ts";
import { environmentPath } from "./OperatorPath.ts";

const Part = Schema.String.annotate({
  description:
    "A UUID of your own for this part of a file. Sent again within 24 hours, the part gets the first " +
    "response and is not imported twice.",
  format: "uuid",
  examples: ["01980a6c-0f3e-7c52-9a41-3f1f5d7a2b60"],
}).check(
  Schema.makeFilter(isUuid, {
    message: "The part must be a UUID, such as 01980a6c-0f3e-7c52-9a41-3f1f5d7a2b60.",
  }),
);

/** The import of the platform API, for the operator, who has no token of the workspace. */
export class LocationImportApi extends HttpApiGroup.make("locations")
  .add(
    HttpApiEndpoint.post("import", "/workspaces/:workspace/:env/locations/import", {
      params: environmentPath,
      query: { ...dryRunParameter, part: Schema.optionalKey(Part) },
      payload: importBody,
      success: Data(ImportReport),
      error: [NotFound, Conflict, ...bodyErrors],
    })
      .annotate(BodyRules, importBodyRules)
      .annotate(OpenApi.Summary, "Import locations from GeoJSON")
      .annotate(
        OpenApi.Description,
        "The rules and the response of the platform API's import. A larger file is sent in parts, each " +
          "with its own `part`, as `waypost location import` does.",
      ),
  )
  .annotate(OpenApi.Title, "Locations")
  .annotate(
    OpenApi.Description,
    "Locations that geo campaigns target: imported here, read through the platform API.",
  ) {}
