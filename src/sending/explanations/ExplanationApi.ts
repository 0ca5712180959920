import { Schema } from "effect";
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api";
import { Needs } from "../../access/Access.ts";
import { CampaignType } from "../../campaigns/Campaign.ts";
import { allReasons, obstacles } from "../../devices/Obstacle.ts";
import { devicePath } from "../../devices/RegisteredDevicesApi.ts";
import { describedInstant } from "../../time/Instant.ts";
import { NotFound, Unprocessable } from "../../wire/ApiError.ts";
import { PageOf, PageQuery } from "../../wire/Envelope.ts";
import { idFilter, nullableInstant, shownId, shownText } from "../../wire/ShownFields.ts";
import { flag } from "../../wire/Text.ts";

/** Whether a campaign would reach a device now. */
export const Explanation = Schema.Struct({
  campaign_id: shownId("The campaign.", "01980a6c-0f3e-7c52-9a41-3f1f5d7a2b62"),
  campaign_name: shownText("Its name.", "Autumn sale"),
  type: CampaignType,
  reaches: flag("Whether it would reach the device now; with `at`, whether it had reached it then.", false),
  reason: Schema.NullOr(Schema.Literals(allReasons)).annotate({
    description: `The first reason why not, in this order; null if it reaches the device. ${allReasons
      .map((reason) => `\`${reason}\`: ${obstacles[reason]}`)
      .join(" ")}`,
    examples: ["capped"],
  }),
  until: nullableInstant(
    "Of `capped` when the period of the cap ends, of `quiet_hours` and `cooldown` when they do, of " +
      "`scheduled` when it is sent; with `at`, of `already_sent` when it was; otherwise null.",
    "2026-11-22T00:00:00+00:00",
  ),
}).annotate({ identifier: "Explanation" });
export type Explanation = typeof Explanation.Type;

/** The parameters of a page of explanations. */
const explanationQuery = {
  ...PageQuery,
  campaign: idFilter("Only this campaign, active or not.", "01980a6c-0f3e-7c52-9a41-3f1f5d7a2b62"),
  at: Schema.optionalKey(
    describedInstant(
      "With `campaign`: what happened at this instant of the last 30 days, from deliveries, sends and " +
        "events; without an offset it is UTC.",
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
          "reason. Of a push at a local time the device's own zone decides, of a message for those who " +
          "stay their visit.",
      ),
  )
  .annotate(OpenApi.Title, "Explanations")
  .annotate(OpenApi.Description, "Why a device was not reached.") {}
