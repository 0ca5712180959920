import { Schema } from "effect";
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api";
import { ChangesNothing, Needs } from "../../access/Access.ts";
import { TargetingDraft } from "../../campaigns/TargetingDraft.ts";
import { bodyErrors, ServiceUnavailable } from "../../wire/ApiError.ts";
import { Data } from "../../wire/Envelope.ts";
import { shownInteger } from "../../wire/ShownFields.ts";

/** Whom a campaign with this targeting would reach. */
export const CampaignEstimate = Schema.Struct({
  devices: shownInteger(
    "Registered devices that it targets: those in its segments, or all for a geo campaign.",
    1204,
  ),
  reachable: shownInteger("Devices whose address works or who have an inbox, in Sandbox if approved.", 1187),
  places: shownInteger("Locations that it targets, directly or through a group; 0 for a push campaign.", 12),
  devices_passed: Schema.optionalKey(
    shownInteger("With `send`: how many of the devices have its time behind them.", 1204),
  ),
  devices_seen_30_days: Schema.NullOr(Schema.Int).annotate({
    description:
      "Distinct devices that entered one of these locations today or on the 30 days before, by the " +
      "workspace's time zone; null for a push campaign.",
    examples: [341],
  }),
}).annotate({ identifier: "CampaignEstimate" });
export type CampaignEstimate = typeof CampaignEstimate.Type;

/** The endpoint that estimates whom a campaign would reach (contract S4). */
export class CampaignEstimateApi extends HttpApiGroup.make("estimates")
  .add(
    HttpApiEndpoint.post("estimate", "/campaigns/estimate", {
      payload: TargetingDraft,
      success: Data(CampaignEstimate),
      error: [ServiceUnavailable, ...bodyErrors],
    })
      .annotate(Needs, "campaigns:read")
      .annotate(ChangesNothing, true)
      .annotate(OpenApi.Summary, "Estimate whom a campaign would reach")
      .annotate(
        OpenApi.Description,
        "Takes the targeting of a campaign, under its rules. Nothing is stored, and the request counts as " +
          "a read. With over 100,000 devices, `reachable` and the devices of segments are estimates from " +
          "an even sample, as is `devices_passed`.",
      ),
  )
  .annotate(OpenApi.Title, "Estimates")
  .annotate(OpenApi.Description, "Whom a campaign would reach, before it exists.") {}
