import { Schema } from "effect";
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api";
import { NotFound, Unprocessable } from "../wire/ApiError.ts";
import { PageOf, PageQuery } from "../wire/Envelope.ts";
import { isUuid } from "../wire/Ids.ts";
import { environmentPath } from "./OperatorPath.ts";
import { DeliveryState, ShownDelivery } from "./DeliveryResource.ts";

const only = (noun: string) =>
  Schema.optionalKey(
    Schema.String.annotate({
      description: `Only deliveries of the ${noun} with this id.`,
      format: "uuid",
      examples: ["01980a6c-0f3e-7c52-9a41-3f1f5d7a2b60"],
    }).check(Schema.makeFilter(isUuid, { message: "The {field} must be a UUID." })),
  );

const deliveryFilters = {
  campaign: only("campaign"),
  notification: only("notification"),
  device: only("device"),
  status: Schema.optionalKey(DeliveryState),
};

/** Single deliveries, with what went wrong: for the operator who is asked where a message is. */
export class DeliveryListApi extends HttpApiGroup.make("deliveries")
  .add(
    HttpApiEndpoint.get("list", "/workspaces/:workspace/:env/deliveries", {
      params: environmentPath,
      query: { ...PageQuery, ...deliveryFilters },
      success: PageOf(ShownDelivery),
      error: [NotFound, Unprocessable],
    })
      .annotate(OpenApi.Summary, "List single deliveries")
      .annotate(OpenApi.Description, "Newest first: those that were set off last."),
  )
  .annotate(OpenApi.Title, "Deliveries")
  .annotate(OpenApi.Description, "What was sent to whom, and what became of it.") {}
