import { Schema } from "effect";
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api";
import { Unprocessable } from "../../wire/ApiError.ts";
import { Needs } from "../../access/Access.ts";
import { PageOf, PageQuery } from "../../wire/Envelope.ts";
import { alsoAsCsv } from "../../http/csv/CsvParameters.ts";
import { idFilter } from "../../wire/ShownFields.ts";
import { DeliveryState, DeliveryResource } from "./DeliveryResource.ts";

const deliveriesOf = (noun: string) =>
  idFilter(`Only deliveries of the ${noun} with this id.`, "01980a6c-0f3e-7c52-9a41-3f1f5d7a2b60");

/** The query parameters that select deliveries. */
const deliveryFilters = {
  campaign: deliveriesOf("campaign"),
  notification: deliveriesOf("notification"),
  device: deliveriesOf("device"),
  status: Schema.optionalKey(DeliveryState),
};

/** The endpoint of single deliveries and their errors, for support requests about a message. */
export class DeliveriesApi extends HttpApiGroup.make("deliveries")
  .add(
    HttpApiEndpoint.get("list", "/deliveries", {
      query: { ...PageQuery, ...deliveryFilters },
      success: PageOf(DeliveryResource),
      error: [Unprocessable],
    })
      .annotate(Needs, "sends:read")
      .annotate(OpenApi.Transform, alsoAsCsv)
      .annotate(OpenApi.Summary, "List single deliveries")
      .annotate(OpenApi.Description, "Newest first by their send or event."),
  )
  .annotate(OpenApi.Title, "Deliveries")
  .annotate(OpenApi.Description, "Messages to single devices, with their outcome.") {}
