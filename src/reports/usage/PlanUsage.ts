import { Schema } from "effect";
import { shownInteger } from "../../wire/ShownFields.ts";

/** Use of the plan's limits by one environment. */
export const PlanUsage = Schema.Struct({
  campaigns: shownInteger(
    "The count of `max_campaigns`: campaigns that have not ended and, in Sandbox, are not paused.",
    12,
  ),
  notifications: shownInteger("The count of `max_notifications`.", 48),
  locations: shownInteger("The count of `max_locations`.", 626),
  media_bytes: shownInteger("The count of `max_media_bytes`: the bytes of all files.", 1_250_000),
}).annotate({ identifier: "PlanUsage" });
