import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api";
import { sendFilters } from "../sending/sends/SendFilters.ts";
import { SendResource } from "../sending/sends/SendResource.ts";
import { NotFound, Unprocessable } from "../wire/ApiError.ts";
import { PageOf, PageQuery } from "../wire/Envelope.ts";
import { alsoAsCsv } from "../http/csv/CsvParameters.ts";
import { environmentPath } from "./OperatorPath.ts";

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
