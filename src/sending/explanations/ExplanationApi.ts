import { Schema } from "effect";
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api";
import { Needs } from "../../access/Access.ts";
import { CampaignType } from "../../campaigns/Campaign.ts";
import { devicePath } from "../../devices/RegisteredDevicesApi.ts";
import { NotFound, Unprocessable } from "../../wire/ApiError.ts";
import { PageOf, PageQuery } from "../../wire/Envelope.ts";
import { isUuid } from "../../wire/Ids.ts";
import { nullableInstant, shownId, shownText } from "../../wire/ShownFields.ts";
import { flag } from "../../wire/Text.ts";

/** Why a campaign would not reach a device; of several reasons the first in this order is given. */
export const reasons = [
  "paused",
  "not_started",
  "ended",
  "no_notification",
  "not_approved",
  "unsubscribed",
  "not_in_segment",
  "address_gone",
  "transport_not_configured",
  "capped",
  "quiet_hours",
  "cooldown",
  "outside",
] as const;
/** Why a campaign does not reach a device. The first that applies, in this order, is given (contract S6). */
export type Reason = (typeof reasons)[number];

/** Whether a campaign would reach a device now. */
export const Explanation = Schema.Struct({
  campaign_id: shownId("The campaign.", "01980a6c-0f3e-7c52-9a41-3f1f5d7a2b62"),
  campaign_name: shownText("Its name.", "Autumn sale"),
  type: CampaignType,
  reaches: flag("Whether it would reach the device now.", false),
  reason: Schema.NullOr(Schema.Literals(reasons)).annotate({
    description:
      "The first reason why not; null if it reaches the device. `no_notification`: none that can still be " +
      "sent now; `not_approved`: in Sandbox; `unsubscribed`: the device wants no messages; `outside`: the " +
      "device is in none of its locations.",
    examples: ["capped"],
  }),
  until: nullableInstant(
    "Of `capped` when the period of the cap ends, of `quiet_hours` and `cooldown` when they do; otherwise " +
      "null.",
    "2026-11-22T00:00:00+00:00",
  ),
}).annotate({ identifier: "Explanation" });
export type Explanation = typeof Explanation.Type;

/** The parameters of a page of explanations. */
export const explanationQuery = {
  ...PageQuery,
  campaign: Schema.optionalKey(
    shownId("Only this campaign, active or not.", "01980a6c-0f3e-7c52-9a41-3f1f5d7a2b62").check(
      Schema.makeFilter(isUuid, { message: "The {field} must be a UUID." }),
    ),
  ),
};

/** The endpoint that explains whom campaigns reach (contract S6). */
export class ExplanationApi extends HttpApiGroup.make("explanations")
  .add(
    HttpApiEndpoint.get("explain", "/devices/:device/explain", {
      params: devicePath,
      query: explanationQuery,
      success: PageOf(Explanation),
      error: [NotFound, Unprocessable],
    })
      .annotate(Needs, "devices:read")
      .annotate(OpenApi.Summary, "Explain which campaigns would reach a device")
      .annotate(
        OpenApi.Description,
        "Each active campaign, newest first: whether it would reach the device now, and if not the first " +
          "reason.",
      ),
  )
  .annotate(OpenApi.Title, "Explanations")
  .annotate(OpenApi.Description, "Why a device was not reached.") {}
