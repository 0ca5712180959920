import { Schema } from "effect";
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api";
import { Needs } from "../../access/Access.ts";
import { alsoAsCsv } from "../../http/csv/CsvParameters.ts";
import { NotFound, Unprocessable } from "../../wire/ApiError.ts";
import { Data, PageOf, PageQuery } from "../../wire/Envelope.ts";
import { idFilter, shownId } from "../../wire/ShownFields.ts";
import { SendStatus } from "./Send.ts";
import { SendDetail, SendResource } from "./SendResource.ts";

/** The query parameters that select sends. */
const sendFilters = {
  campaign: idFilter("Only sends of the campaign with this id.", "01980a6c-0f3e-7c52-9a41-3f1f5d7a2b62"),
  status: Schema.optionalKey(SendStatus),
};

/** The platform API's endpoints of sends at fixed times (contract S1). */
export class SendsApi extends HttpApiGroup.make("sends")
  .add(
    HttpApiEndpoint.get("list", "/sends", {
      query: { ...PageQuery, ...sendFilters },
      success: PageOf(SendResource),
      error: [Unprocessable],
    })
      .annotate(Needs, "sends:read")
      .annotate(OpenApi.Transform, alsoAsCsv)
      .annotate(OpenApi.Summary, "List scheduled and past sends")
      .annotate(
        OpenApi.Description,
        "Newest first by when they were scheduled. The figures are always exact, also while a send runs.",
      ),
    HttpApiEndpoint.get("get", "/sends/:send", {
      params: { send: shownId("Id of the send.", "01980a6c-0f3e-7c52-9a41-3f1f5d7a2b61") },
      success: Data(SendDetail),
      error: [NotFound],
    })
      .annotate(Needs, "sends:read")
      .annotate(OpenApi.Summary, "Show a send")
      .annotate(OpenApi.Description, "With its failed deliveries by reason."),
  )
  .annotate(OpenApi.Title, "Sends")
  .annotate(OpenApi.Description, "Notifications of push campaigns at their fixed times.") {}
