import { Schema } from "effect";
import { WallTime } from "../time/LocalTime.ts";
import { TimeZoneName } from "../time/TimeZone.ts";
import { sentAs } from "../wire/Parts.ts";
import { flag, optionalOrNull } from "../wire/Text.ts";
import { CampaignType } from "./Campaign.ts";
import { targetingFields } from "./CampaignDraft.ts";

const locationLists = ["location_ids", "location_group_ids", "location_group_names"];

const withType = (body: { readonly [field: string]: unknown }) => {
  const isGeo = locationLists.some((list) => Array.isArray(body[list]) && body[list].length > 0);
  return { ...body, type: body["type"] ?? (isGeo ? "geo" : "push") };
};

/** The targeting of a campaign that may not exist yet. Other fields of a campaign are ignored. */
export const TargetingDraft = Schema.Struct({
  type: Schema.optionalKey(
    CampaignType.annotate({
      description: "Type of the campaign. Left out: `geo` if any location or group is given, else `push`.",
      examples: ["push"],
    }),
  ),
  ...targetingFields,
  send: optionalOrNull(
    Schema.Struct({
      at: Schema.String.annotate({
        description: "The day and time of a message of a push campaign: YYYY-MM-DD HH:MM.",
        examples: ["2026-11-21 09:00"],
      }).pipe(Schema.decodeTo(WallTime)),
      timezone: TimeZoneName,
      local: Schema.optionalKey(
        flag("Whether it is sent at that time where each device is; `timezone` is for those without.", true),
      ),
    }),
  ),
})
  .annotate({ identifier: "TargetingDraft" })
  .pipe(sentAs(withType));
export type TargetingDraft = typeof TargetingDraft.Type;
