import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api";
import { alsoAsCsv } from "../http/csv/CsvParameters.ts";
import { deliveryFilters } from "../sending/deliveries/DeliveriesApi.ts";
import { DeliveryResource } from "../sending/deliveries/DeliveryResource.ts";
import { NotFound, Unprocessable } from "../wire/ApiError.ts";
import { PageOf, PageQuery } from "../wire/Envelope.ts";
import { environmentPath } from "./OperatorPath.ts";

/** The endpoint of single deliveries and their errors, for support requests about a message. */
export class DeliveryListApi extends HttpApiGroup.make("deliveries")
  .add(
    HttpApiEndpoint.get("list", "/workspaces/:workspace/:env/deliveries", {
      params: environmentPath,
      query: { ...PageQuery, ...deliveryFilters },
      success: PageOf(DeliveryResource),
      error: [NotFound, Unprocessable],
    })
      .annotate(OpenApi.Transform, alsoAsCsv)
      .annotate(OpenApi.Summary, "List single deliveries")
      .annotate(OpenApi.Description, "Newest first by their send or event."),
  )
  .annotate(OpenApi.Title, "Deliveries")
  .annotate(OpenApi.Description, "Deliveries to devices, with their outcomes.") {}
