import { Schema, Struct } from "effect";
import { flag } from "../wire/Text.ts";

const limit = (description: string, example: number) =>
  Schema.NullOr(
    Schema.Int.annotate({ message: "The {field} must be a whole number, or null for no limit." }).check(
      Schema.isBetween(
        { minimum: 0, maximum: Number.MAX_SAFE_INTEGER },
        { message: "The {field} must be a whole number of 0 or more, or null for no limit." },
      ),
    ),
  ).annotate({
    description: `${description} Null: no limit.`,
    examples: [example],
    message: "The {field} must be a whole number of 0 or more, or null for no limit.",
  });

/** The kinds of media files. */
export const MediaKind = Schema.Literals(["image", "video", "audio"]).annotate({
  description: "The kind of a media file.",
  examples: ["image"],
});
/** One of the kinds of media. */
export type MediaKind = typeof MediaKind.Type;

/** The limits and features of a workspace. */
export const Plan = Schema.Struct({
  max_campaigns: limit("The most campaigns that are neither deleted nor ended, in each environment.", 100),
  max_notifications: limit("The most notification contents in each environment.", 1000),
  max_notifications_per_campaign: limit("The most notifications on one campaign.", 20),
  max_locations: limit("The most locations in each environment; an import skips the rest.", 10_000),
  max_media_bytes: limit(
    "The most bytes of media in each environment; in Sandbox at most 209,715,200.",
    5_000_000_000,
  ),
  surveys: flag("Whether notifications can be surveys.", true),
  media_kinds: Schema.Array(MediaKind).annotate({
    description: "Kinds of media that can be uploaded and used.",
    examples: [["image", "video", "audio"]],
  }),
  sandbox_requests_per_minute: limit("Requests per minute to Sandbox.", 30),
  sandbox_writes_per_minute: limit("Changing requests per minute to Sandbox.", 10),
  sandbox_requests_per_day: limit("Requests per day to Sandbox.", 1000),
  production_requests_per_minute: limit("Requests per minute to Production.", 600),
  production_writes_per_minute: limit("Changing requests per minute to Production.", 120),
  production_requests_per_day: limit("Requests per day to Production.", 100_000),
  device_requests_per_minute: limit("Requests per minute of a device, in each environment.", 600),
  device_events_per_minute: limit(
    "Events and positions that a device reports per minute, in each environment.",
    6000,
  ),
}).annotate({ identifier: "Plan" });
export type Plan = typeof Plan.Type;

/** Some keys of a plan; the others keep their values. */
export const PlanPatch = Plan.mapFields(Struct.map(Schema.optionalKey)).annotate({ identifier: "PlanPatch" });
export type PlanPatch = typeof PlanPatch.Type;

/** The default values of a plan. */
export const defaultPlan: Plan = {
  max_campaigns: 100,
  max_notifications: 1000,
  max_notifications_per_campaign: 20,
  max_locations: 10_000,
  max_media_bytes: null,
  surveys: true,
  media_kinds: ["image", "video", "audio"],
  sandbox_requests_per_minute: 30,
  sandbox_writes_per_minute: 10,
  sandbox_requests_per_day: 1000,
  production_requests_per_minute: 600,
  production_writes_per_minute: 120,
  production_requests_per_day: null,
  device_requests_per_minute: 600,
  device_events_per_minute: 6000,
};
