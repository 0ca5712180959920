import { Schema } from "effect";
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api";
import { Data } from "../../wire/Envelope.ts";
import { shownInteger } from "../../wire/ShownFields.ts";

/** Use of the plan's limits by one environment. */
const PlanUsage = Schema.Struct({
  campaigns: shownInteger(
    "The count of `max_campaigns`: campaigns that have not ended and, in Sandbox, are not paused.",
    12,
  ),
  notifications: shownInteger("The count of `max_notifications`.", 48),
  locations: shownInteger("The count of `max_locations`.", 626),
  media_bytes: shownInteger("The count of `max_media_bytes`: the bytes of all files.", 1_250_000),
}).annotate({ identifier: "PlanUsage" });

/** The endpoint of what is used of a plan. It needs no ability (contract W2, Y17). */
export class UsageApi extends HttpApiGroup.make("usage")
  .add(
    HttpApiEndpoint.get("get", "/usage", { success: Data(PlanUsage) })
      .annotate(OpenApi.Summary, "Show what is used of the plan")
      .annotate(
        OpenApi.Description,
        "The counts of this environment that the limits of the plan are compared with. Needs no ability.",
      ),
  )
  .annotate(OpenApi.Title, "Usage")
  .annotate(
    OpenApi.Description,
    "The counts of an environment against the limits of its workspace's plan.",
  ) {}
