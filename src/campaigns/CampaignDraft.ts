import { Predicate, Schema, SchemaTransformation } from "effect";
import { WallTime } from "../time/LocalTime.ts";
import { TimeZoneName } from "../time/TimeZone.ts";
import { readBy, sentAs } from "../wire/Parts.ts";
import { flag, optionalOrNull, text, whole } from "../wire/Text.ts";
import { pace } from "../workspaces/Workspace.ts";
import { EventName } from "../wire/EventName.ts";
import { SentQuietHours } from "../workspaces/QuietHours.ts";
import { RecurrenceDraft } from "./recurrence/Recurrence.ts";
import { CampaignType, CapBy, CapPeriod, SegmentMatch } from "./Campaign.ts";
import { GoalType } from "./Goal.ts";

/** The most entries of each list of a campaign, as sent (contract E5). */
const maxEntries = 1000;
const tooManyEntries = "The {field} can have at most 1,000 entries.";

const Id = Schema.String.annotate({ format: "uuid" }).pipe(
  Schema.decode(
    SchemaTransformation.transform({ decode: (id: string) => id.trim().toLowerCase(), encode: (id) => id }),
  ),
);

// The service checks that an entry is an id and names an existing target, so that every bad entry gets a
// problem. One that is not a text becomes an empty one: it names nothing.
const TargetId = readBy(Id, (id) => (Predicate.isString(id) ? id.trim().toLowerCase() : ""));
const TargetName = readBy(Schema.String, (name) => (Predicate.isString(name) ? name.trim() : ""));

const wallTime = (description: string, example: string) =>
  Schema.String.annotate({ description, examples: [example] }).pipe(Schema.decodeTo(WallTime));

const list = <S extends Schema.Codec<string, string>>(entry: S, description: string, example: string) =>
  optionalOrNull(
    Schema.Array(entry)
      .annotate({ description, examples: [[example]], message: "The {field} must be a list or null." })
      .check(Schema.isMaxLength(maxEntries, { message: tooManyEntries })),
  );

const holdoutSentence = "The {field} must be a number from 0 to 50, with at most two decimals.";

/** The fields of a draft that make it an experiment (contract U2, U5). */
const experimentFields = {
  holdout_percent: optionalOrNull(
    Schema.Finite.annotate({
      description:
        "How much of the people it would reach gets nothing of it, in percent: 0 (the default) to 50. " +
        "Fixed while people are enrolled: left out, it is then kept.",
      examples: [10],
      message: holdoutSentence,
    }).check(
      Schema.makeFilter(
        (percent: number) =>
          percent >= 0 && percent <= 50 && Math.abs(percent * 100 - Math.round(percent * 100)) < 1e-9
            ? true
            : holdoutSentence,
        { toJsonSchema: () => ({ minimum: 0, maximum: 50 }) },
      ),
    ),
  ),
  goal: optionalOrNull(
    Schema.Struct({
      type: GoalType,
      within_hours: whole({
        min: 1,
        max: 720,
        description: "It counts for so many hours after the person was enrolled.",
        example: 72,
      }),
      event: optionalOrNull(
        EventName.annotate({
          description: "Name of the custom event, which `event` requires.",
          examples: ["order.placed"],
        }),
      ),
      location_ids: list(
        Id,
        "Locations of `visit`; any location counts without locations and groups.",
        "01980a6c-2b11-7e0a-8c55-6d2f9b1a4e01",
      ),
      location_group_ids: list(Id, "Location groups of `visit`.", "01980a6c-2b11-7e0a-8c55-6d2f9b1a4e02"),
    }).annotate({
      identifier: "GoalDraft",
      description:
        "The success that the experiment counts; null for none. Fixed while people are enrolled: left out, " +
        "it is then kept.",
    }),
  ),
};

/** The fields of a draft that say whom a campaign reaches. */
export const targetingFields = {
  segment_match: optionalOrNull(SegmentMatch),
  location_ids: list(
    TargetId,
    "Locations that a geo campaign targets; it needs at least one location or group.",
    "01980a6c-2b11-7e0a-8c55-6d2f9b1a4e01",
  ),
  location_group_ids: list(
    TargetId,
    "Location groups that a geo campaign targets.",
    "01980a6c-2b11-7e0a-8c55-6d2f9b1a4e02",
  ),
  location_group_names: list(
    TargetName,
    "Exact names of location groups; they are added to `location_group_ids`.",
    "Flagship stores",
  ),
  segmentation_ids: list(
    TargetId,
    "Segments that a push or event campaign targets; left out or empty means everyone.",
    "01980a6c-2b11-7e0a-8c55-6d2f9b1a4e03",
  ),
};

/** The end of a push campaign of one day is ignored (write rule 4), even if it is not a date. */
const withoutIgnored = (body: { readonly [field: string]: unknown }) => {
  const { ends_at: _end, ...rest } = body;
  return body["type"] === "push" && (body["recurrence"] ?? null) === null ? rest : body;
};

/**
 * Body of a new campaign, and of an update, which replaces the whole campaign: missing optional fields are
 * cleared.
 */
export const CampaignDraft = Schema.Struct({
  name: text({
    max: 255,
    description: "Name of the campaign, unique among the campaigns of its environment.",
    example: "Opening week",
  }),
  type: CampaignType,
  timezone: TimeZoneName,
  starts_at: wallTime(
    "When the campaign starts, in its time zone: YYYY-MM-DD (00:00 that day) or YYYY-MM-DD HH:MM. Not " +
      "before today.",
    "2026-12-01 09:00",
  ),
  ends_at: optionalOrNull(
    wallTime(
      "When a geo or event campaign ends, in its time zone: YYYY-MM-DD (the end of that day) or YYYY-MM-DD " +
        "HH:MM. Left out: never. Of a recurring push campaign its last day. Ignored for another push " +
        "campaign, which runs for the day of its start.",
      "2026-12-08",
    ),
  ),
  recurrence: optionalOrNull(
    RecurrenceDraft.annotate({
      description:
        "Of a push campaign: the days on which it sends, from that of its start on. Left out or null: only " +
        "that of its start.",
      examples: [{ rule: "FREQ=WEEKLY;BYDAY=MO" }],
    }),
  ),
  frequency_cap_count: optionalOrNull(
    whole({
      min: 1,
      max: 1000,
      description: "The most deliveries to the same device in the period; requires the period.",
      example: 3,
    }),
  ),
  frequency_cap_period: optionalOrNull(CapPeriod),
  cap_by: optionalOrNull(CapBy),
  quiet_hours: optionalOrNull(SentQuietHours),
  cooldown_minutes: optionalOrNull(
    whole({
      min: 1,
      max: 43_200,
      description:
        "Of a geo campaign: for how many minutes after a message at a location the same device gets no " +
        "other message of the campaign there.",
      example: 1440,
    }),
  ),
  max_per_minute: optionalOrNull(
    pace(
      "Of a push campaign: the most deliveries of its sends in any 60 seconds, over all processes. The " +
        "rest waits. The workspace may have a smaller limit.",
    ),
  ),
  ...experimentFields,
  paused: Schema.optionalKey(
    flag(
      "Whether the campaign is paused. Left out: a new campaign is not, and an update keeps it as it is.",
      false,
    ),
  ),
  ...targetingFields,
})
  .annotate({
    identifier: "CampaignDraft",
    // Together with the example of an import, which makes the group, it is a draft that the server accepts.
    examples: [
      {
        name: "Opening week",
        type: "geo",
        timezone: "Europe/Amsterdam" as TimeZoneName,
        starts_at: "2030-06-01 09:00" as WallTime,
        location_group_names: ["Amsterdam"],
      },
    ],
  })
  .pipe(sentAs(withoutIgnored));
export type CampaignDraft = typeof CampaignDraft.Type;
