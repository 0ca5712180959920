import { Schema } from "effect";
import { nullableInteger, shownId, shownInstant, shownText } from "../wire/ShownFields.ts";
import { flag, Timestamp } from "../wire/Text.ts";
import { CampaignQuietHours } from "../workspaces/QuietHours.ts";
import { CampaignStatus } from "./CampaignStatus.ts";
import { Goal } from "./Goal.ts";
import { Recurrence } from "./recurrence/Recurrence.ts";

/** The type of a campaign: triggered at locations, sent at fixed times, or triggered by custom events. */
export const CampaignType = Schema.Literals(["geo", "push", "event"]).annotate({
  description:
    "`geo` is triggered when a device enters or leaves a location; `push` is sent at fixed times on the " +
    "day of the start, or on the days of its recurrence; `event` is triggered by custom events of an app.",
  examples: ["geo"],
});
export type CampaignType = typeof CampaignType.Type;

/** Calendar period of a frequency cap (contract E7). */
export const CapPeriod = Schema.Literals(["day", "week", "month"]).annotate({
  description: "The calendar period of the frequency cap; null for the workspace's default cap.",
  examples: ["day"],
});

/** For whom a campaign counts (contract Q1). */
export const CapBy = Schema.Literals(["device", "user"]).annotate({
  description:
    "`device` (the default): each device has the cap and the cooldown for itself. `user`: the devices of a " +
    "person share them, and a send reaches only the one that was seen last.",
  examples: ["device"],
});

/** Whether the campaign reaches devices in any or in all of its segments. */
export const SegmentMatch = Schema.Literals(["any", "all"]).annotate({
  description: "Whether a device must be in `any` (the default) or `all` of the segments; null if not set.",
  examples: ["any"],
});

const ids = (description: string, example: string) =>
  Schema.Array(Schema.String.annotate({ format: "uuid" })).annotate({ description, examples: [[example]] });

/** The targets of a campaign: locations of a geo campaign, segments of others (none: everyone). */
const Targeting = Schema.Struct({
  location_ids: ids(
    "Locations of a geo campaign, in the order they were sent.",
    "01980a6c-2b11-7e0a-8c55-6d2f9b1a4e01",
  ),
  location_group_ids: ids(
    "Location groups of a geo campaign, in the order they were sent.",
    "01980a6c-2b11-7e0a-8c55-6d2f9b1a4e02",
  ),
  segmentation_ids: ids(
    "Segments of a push or event campaign, in the order they were sent; empty means everyone.",
    "01980a6c-2b11-7e0a-8c55-6d2f9b1a4e03",
  ),
  segment_match: Schema.NullOr(SegmentMatch),
}).annotate({ identifier: "Targeting", description: "Whom the campaign reaches." });

/** A campaign in the platform API. */
export const Campaign = Schema.Struct({
  id: shownId("Id of the campaign.", "01980a6c-0f3e-7c52-9a41-3f1f5d7a2b60"),
  name: shownText("Name of the campaign, unique in its environment.", "Opening week"),
  type: CampaignType,
  status: CampaignStatus.annotate({
    description:
      "Computed: `ended` once the end has passed, else `paused`, else `scheduled` until the start, else " +
      "`active`.",
    examples: ["scheduled"],
  }),
  starts_at: shownInstant("When the campaign starts, in UTC.", "2026-12-01T08:00:00+00:00"),
  ends_at: Schema.NullOr(
    Timestamp.annotate({
      description:
        "The last second of the campaign, in UTC; null for one without end. Of a push campaign the end of " +
        "its day in its time zone; of a recurring one that of its last day, as written or by its rule.",
      examples: ["2026-12-08T22:59:59+00:00"],
    }),
  ),
  timezone: shownText("IANA time zone in which the campaign's dates are written.", "Europe/Amsterdam").pipe(
    Schema.brand("TimeZoneName"),
  ),
  recurrence: Schema.NullOr(Recurrence).annotate({
    description: "Of a push campaign that sends again and again: when; null for one of one day.",
    examples: [null],
  }),
  paused: flag("Whether the campaign is paused.", false),
  published_at: Schema.NullOr(
    Timestamp.annotate({
      description: "When the campaign was first not paused, in UTC; null for one that never was: a draft.",
      examples: ["2026-11-30T16:20:00+00:00"],
    }),
  ),
  archived: flag("Whether the campaign is archived: paused, and not in lists.", false),
  frequency_cap_count: nullableInteger(
    "The most deliveries to the same device in the period; null for the workspace's default cap.",
    3,
  ),
  frequency_cap_period: Schema.NullOr(CapPeriod),
  cap_by: CapBy,
  quiet_hours: Schema.NullOr(CampaignQuietHours),
  cooldown_minutes: nullableInteger(
    "Of a geo campaign: for how many minutes after a message at a location the same device gets no " +
      "other message of the campaign there; null for no cooldown.",
    1440,
  ),
  max_per_minute: nullableInteger(
    "Of a push campaign: the most deliveries of its sends in any 60 seconds; null for no limit of its own.",
    60_000,
  ),
  holdout_percent: Schema.Finite.annotate({
    description: "How much of the people it would reach gets nothing of it, in percent; 0 for none.",
    examples: [10],
  }),
  goal: Schema.NullOr(Goal).annotate({
    description: "The success that its experiment counts; null for none.",
    examples: [null],
  }),
  targeting: Targeting,
  created_at: shownInstant("When the campaign was created, in UTC."),
  updated_at: shownInstant("When the campaign was last changed, in UTC."),
}).annotate({ identifier: "Campaign" });
export type Campaign = typeof Campaign.Type;
