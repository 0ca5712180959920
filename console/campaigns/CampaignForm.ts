/** The values of the campaign editor, and how they become a draft of the API. */
import type { CampaignDraft, TargetingDraft, Campaign } from "../data/Resources.ts";
import type { Typed } from "../data/Typed.ts";
import { today } from "../parts/DisplayFormats.ts";
import {
  isQuietIncomplete,
  noQuietHours,
  quietValuesOf,
  type QuietValues,
  sentQuietHours,
} from "../parts/form/QuietHoursForm.ts";
import { numberOrNull, numberOrText } from "../parts/form/TypedNumber.ts";
import type { RecurringValues } from "./RecurrenceForm.ts";
import { sentWallTime, wallEndAt, wallTimeAt } from "../parts/WallClock.ts";

/** Typed and chosen values. Fields of the other type are kept, but not sent. */
export interface CampaignValues extends QuietValues, RecurringValues {
  readonly name: string;
  readonly type: Campaign["type"];
  readonly timezone: string;
  readonly starts_at: string;
  readonly ends_at: string;
  readonly frequency_cap_count: string;
  readonly frequency_cap_period: string;
  readonly cap_by: Campaign["cap_by"];
  readonly cooldown_minutes: string;
  readonly max_per_minute: string;
  readonly location_ids: ReadonlyArray<string>;
  readonly location_group_ids: ReadonlyArray<string>;
  readonly segmentation_ids: ReadonlyArray<string>;
  readonly segment_match: string;
  readonly holdout_percent: string;
  readonly goal_type: string;
  readonly goal_hours: string;
  readonly goal_event: string;
  readonly goal_location_ids: ReadonlyArray<string>;
  readonly goal_location_group_ids: ReadonlyArray<string>;
  /** The version that was changed, which a save expects; empty for a new campaign. */
  readonly version: string;
}

/** The fields with their names. */
export const campaignLabels = [
  ["name", "Name"],
  ["type", "Type"],
  ["timezone", "Time zone"],
  ["starts_at", "Starts at"],
  ["ends_at", "Ends at"],
  ["recurrence_rule", "Repeats"],
  ["recurrence_except", "Repeats: not on"],
  ["frequency_cap_count", "Frequency cap: times"],
  ["frequency_cap_period", "Frequency cap: per"],
  ["cap_by", "Frequency cap: counted for"],
  ["quiet_from", "Quiet hours: from"],
  ["quiet_to", "Quiet hours: to"],
  ["quiet_action", "Quiet hours: action"],
  ["cooldown_minutes", "Cooldown"],
  ["max_per_minute", "Pace"],
  ["location_ids", "Locations"],
  ["location_group_ids", "Location groups"],
  ["segmentation_ids", "Segments"],
  ["segment_match", "Devices in segments"],
  ["holdout_percent", "Holdout"],
  ["goal_type", "Goal"],
  ["goal_hours", "Goal: hours"],
  ["goal_event", "Goal: event"],
  ["goal_location_ids", "Goal: locations"],
  ["goal_location_group_ids", "Goal: location groups"],
] as const;

/** The value of a field as a text. */
export const shownCampaignValue = (value: CampaignValues[(typeof campaignLabels)[number][0]]): string =>
  typeof value === "string" ? value : `${value.length} chosen`;

/** Whether devices get messages of a campaign, now or later. */
export const isInEffect = ({ status }: Campaign): boolean => status === "active" || status === "scheduled";

/** The values that a new campaign starts with, in the zone of the workspace. */
export const newCampaign = (timezone: string): CampaignValues => ({
  name: "",
  type: "geo",
  timezone,
  starts_at: today(timezone),
  ends_at: "",
  recurrence_rule: "",
  recurrence_except: "",
  frequency_cap_count: "",
  frequency_cap_period: "",
  cap_by: "device",
  ...noQuietHours,
  cooldown_minutes: "",
  max_per_minute: "",
  location_ids: [],
  location_group_ids: [],
  segmentation_ids: [],
  segment_match: "any",
  holdout_percent: "",
  goal_type: "",
  goal_hours: "72",
  goal_event: "",
  goal_location_ids: [],
  goal_location_group_ids: [],
  version: "",
});

/** The values of a campaign that is there. */
export const valuesOf = (campaign: Campaign, version: string): CampaignValues => ({
  name: campaign.name,
  type: campaign.type,
  timezone: campaign.timezone,
  starts_at: wallTimeAt(campaign.starts_at, campaign.timezone),
  ends_at:
    campaign.ends_at === null || (campaign.type === "push" && campaign.recurrence === null)
      ? ""
      : wallEndAt(campaign.ends_at, campaign.timezone),
  recurrence_rule: campaign.recurrence?.rule ?? "",
  recurrence_except: campaign.recurrence?.except.join(", ") ?? "",
  frequency_cap_count: campaign.frequency_cap_count?.toString() ?? "",
  frequency_cap_period: campaign.frequency_cap_period ?? "",
  cap_by: campaign.cap_by,
  ...quietValuesOf(campaign.quiet_hours),
  cooldown_minutes: campaign.cooldown_minutes?.toString() ?? "",
  max_per_minute: campaign.max_per_minute?.toString() ?? "",
  location_ids: campaign.targeting.location_ids,
  location_group_ids: campaign.targeting.location_group_ids,
  segmentation_ids: campaign.targeting.segmentation_ids,
  segment_match: campaign.targeting.segment_match ?? "any",
  holdout_percent: campaign.holdout_percent === 0 ? "" : campaign.holdout_percent.toString(),
  goal_type: campaign.goal?.type ?? "",
  goal_hours: campaign.goal?.within_hours.toString() ?? "72",
  goal_event: campaign.goal?.event ?? "",
  goal_location_ids: campaign.goal?.location_ids ?? [],
  goal_location_group_ids: campaign.goal?.location_group_ids ?? [],
  version,
});

/**
 * The end of a recurrence while its days change. That of a rule with an end of its own may be the end of the
 * last day, and is found again.
 */
export const endOfChanged = (
  { ends_at: end, recurrence_rule: rule }: RecurringValues,
  stored: RecurringValues,
): Pick<RecurringValues, "ends_at"> => ({
  ends_at: /COUNT=|UNTIL=/.test(rule) && end === stored.ends_at ? "" : end,
});

/** The values of an unsaved copy. A past start becomes today, and a past end is left out. */
export const copyOf = (campaign: Campaign): CampaignValues => {
  const values = valuesOf(campaign, "");
  const day = today(campaign.timezone);
  const isPast = values.starts_at.slice(0, 10) < day;
  const isOver = values.ends_at !== "" && values.ends_at.slice(0, 10) < day;
  return {
    ...values,
    name: `Copy of ${campaign.name}`,
    starts_at: isPast ? day : values.starts_at,
    ends_at: isOver ? "" : isPast ? endOfChanged(values, values).ends_at : values.ends_at,
  };
};

const orNull = (text: string): string | null => text.trim() || null;

/** The recurrence of a write; null for a campaign of one day. */
export const sentRecurrence = ({
  recurrence_except: except,
  recurrence_rule: rule,
}: Pick<RecurringValues, "recurrence_rule" | "recurrence_except">) => {
  const dates = except.split(",").map((date) => date.trim());
  return rule.trim() === "" ? null : { rule: rule.trim(), except: dates.filter((date) => date !== "") };
};

/** The part of a draft that says whom the campaign reaches. */
export const targetingOf = (values: CampaignValues): Typed<TargetingDraft> =>
  values.type === "geo"
    ? {
        type: "geo",
        location_ids: values.location_ids,
        location_group_ids: values.location_group_ids,
      }
    : {
        type: values.type,
        segmentation_ids: values.segmentation_ids,
        segment_match: values.segmentation_ids.length === 0 ? null : values.segment_match,
      };

const sentHoldout = ({ holdout_percent: typed }: CampaignValues): number | string => {
  const percent = Number(typed.trim());
  return Number.isNaN(percent) ? typed : percent;
};

const sentGoal = (values: CampaignValues): Typed<CampaignDraft["goal"]> => {
  const { goal_hours: hours, goal_type: type } = values;
  if (type === "") return null;
  const goal = { type, within_hours: numberOrText(hours) };
  if (type === "event") return { ...goal, event: orNull(values.goal_event) };
  if (type !== "visit") return goal;
  return {
    ...goal,
    location_ids: values.goal_location_ids,
    location_group_ids: values.goal_location_group_ids,
  };
};

/** The body of a write. `paused` is left out where the stored one is to stay. */
export const draftOf = (values: CampaignValues, paused: boolean | undefined): Typed<CampaignDraft> => ({
  ...targetingOf(values),
  type: values.type,
  name: values.name,
  timezone: values.timezone.trim(),
  starts_at: sentWallTime(values.starts_at),
  ends_at:
    values.type !== "push" || values.recurrence_rule !== "" ? orNull(sentWallTime(values.ends_at)) : null,
  recurrence: values.type === "push" ? sentRecurrence(values) : null,
  frequency_cap_count: numberOrNull(values.frequency_cap_count),
  frequency_cap_period: orNull(values.frequency_cap_period),
  cap_by: values.cap_by,
  quiet_hours: sentQuietHours(values),
  cooldown_minutes: values.type === "geo" ? numberOrNull(values.cooldown_minutes) : null,
  max_per_minute: values.type === "push" ? numberOrNull(values.max_per_minute) : null,
  holdout_percent: sentHoldout(values),
  goal: sentGoal(values),
  paused,
});

const wallPattern = /^\d{4}-\d\d-\d\d(?: \d\d:\d\d)?$/;

/**
 * Whether the API refuses the values in any case. They are sent without a summary, so that all problems
 * stand at their fields in the API's words.
 */
export const isIncomplete = (values: CampaignValues): boolean =>
  values.name.trim() === "" ||
  values.timezone.trim() === "" ||
  !wallPattern.test(sentWallTime(values.starts_at)) ||
  (values.frequency_cap_count.trim() === "") !== (values.frequency_cap_period === "") ||
  isQuietIncomplete(values) ||
  (values.type === "geo" && values.location_ids.length + values.location_group_ids.length === 0);
