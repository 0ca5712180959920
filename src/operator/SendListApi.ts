import { Schema } from "effect";
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api";
import { SendStatus } from "../sending/Send.ts";
import { NotFound, Unprocessable } from "../wire/ApiError.ts";
import { PageOf, PageQuery } from "../wire/Envelope.ts";
import { alsoAsCsv } from "../http/csv/CsvParameters.ts";
import { isUuid } from "../wire/Ids.ts";
import { shownId } from "../wire/ShownFields.ts";
import { environmentPath } from "./OperatorPath.ts";
import { SendResource } from "./SendResource.ts";

const sendFilters = {
  campaign: Schema.optionalKey(
    shownId("Only sends of the campaign with this id.", "01980a6c-0f3e-7c52-9a41-3f1f5d7a2b62").check(
      Schema.makeFilter(isUuid, { message: "The {field} must be a UUID." }),
    ),
  ),
  status: Schema.optionalKey(SendStatus),
};

/** The endpoint of sends at fixed times: scheduled, running and past ones. */
export class SendListApi extends HttpApiGroup.make("sends")
  .add(
    HttpApiEndpoint.get("list", "/workspaces/:workspace/:env/sends", {
      params: environmentPath,
      query: { ...PageQuery, ...sendFilters },
      success: PageOf(SendResource),
      error: [NotFound, Unprocessable],
    })
      .annotate(OpenApi.Transform, alsoAsCsv)
      .annotate(OpenApi.Summary, "List scheduled and past sends")
      .annotate(
        OpenApi.Description,
        "Newest first by when they were scheduled. The figures are always exact, also while a send runs.",
      ),
  )
  .annotate(OpenApi.Title, "Sends")
  .annotate(OpenApi.Description, "Notifications of push campaigns at their fixed times.") {}
