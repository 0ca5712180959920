import { Schema } from "effect";
import { shownInteger } from "../../wire/ShownFields.ts";

/** What one environment uses of the limits of the workspace's plan. */
export const PlanUsage = Schema.Struct({
  campaigns: shownInteger(
    "What `max_campaigns` counts: campaigns that have not ended and, in Sandbox, are not paused.",
    12,
  ),
  notifications: shownInteger("What `max_notifications` counts.", 48),
  locations: shownInteger("What `max_locations` counts.", 626),
  media_bytes: shownInteger("What `max_media_bytes` counts: the bytes of all files.", 1_250_000),
}).annotate({ identifier: "PlanUsage" });
