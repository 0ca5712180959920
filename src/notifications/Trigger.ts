import type { StoredCampaign } from "../campaigns/StoredCampaign.ts";
import { lastInstantOf, type LateChoice, localTimeOf } from "../campaigns/LocalSend.ts";
import { sendInstant } from "../campaigns/CampaignDates.ts";
import {
  dateAt,
  endInstant,
  startInstant,
  type TimeOfDay,
  type WallTime,
  wallParts,
  wallTimeAt,
} from "../time/LocalTime.ts";
import type { PropertyRule } from "../rules/Rule.ts";
import type { TriggerType } from "./Notification.ts";
import type { TriggerBody } from "./TriggerDraft.ts";

/** The trigger of a notification on one campaign, as it is stored. */
export interface Trigger {
  readonly triggerType: TriggerType;
  /** The sending time on the campaign's day, as it was written; null for a geo notification. */
  readonly sendAt: TimeOfDay | null;
  /** Of a send in the zone of each device: what happens where the time has passed; else null. */
  readonly late: LateChoice | null;
  /** Of on_dwell: the minutes that a device must be inside, and may report nothing; null for no limit. */
  readonly dwellMinutes: number | null;
  readonly maxSilenceMinutes: number | null;
  /** Of on_event: what it fires on; else null. */
  readonly event: EventTrigger | null;
  /** The window of a geo or event notification in epoch milliseconds; null for the campaign's own date. */
  readonly startsAt: number | null;
  readonly endsAt: number | null;
}

/** The event that an on_event notification fires on (contract V4). */
export interface EventTrigger {
  readonly name: string;
  /** A rule over its properties; null for any. */
  readonly where: PropertyRule | null;
  readonly delayMinutes: number | null;
  /** The event that stops it while it waits. */
  readonly unless: string | null;
}

type Dates = Pick<StoredCampaign, "timezone" | "startsAt">;

/** The sending time in responses: `YYYY-MM-DD HH:MM` in the campaign's time zone (contract F3). */
export const showSendAt = (campaign: Dates, sendAt: TimeOfDay): WallTime =>
  wallTimeAt(campaign.timezone, sendInstant(campaign, sendAt));

/**
 * Resolves the trigger of a draft on its campaign and adds its problems (contract F2, F3). `stored` is the
 * stored sending time. The result is valid only without problems.
 */
export const resolveTrigger = (
  body: TriggerBody,
  campaign: StoredCampaign,
  stored: TimeOfDay | null,
  now: number,
): Trigger => {
  checkType(body, campaign);
  const type = body.fields.trigger_type ?? "on_enter";
  const dwell = resolveDwell(body, type);
  const event = resolveEvent(body, type);
  const late = resolveLocal(body, campaign);
  if (campaign.type === "push") {
    refuseWindow(body);
    const sendAt = resolveSendAt(body, campaign, late !== null, stored, now);
    return { triggerType: type, sendAt, late, ...dwell, event, startsAt: null, endsAt: null };
  }
  if (isSet(body.fields.trigger_config?.send_at)) {
    body.problems.add(
      "trigger_config.send_at",
      campaign.type === "geo"
        ? "A geo campaign's notifications have no sending time: entering or leaving triggers them."
        : "An event campaign's notifications have no sending time: events trigger them.",
    );
  }
  return { triggerType: type, sendAt: null, late: null, ...dwell, event, ...resolveWindow(body, campaign) };
};

/** The choice for zones where the time of a local send has passed; null for other sends (contract P3). */
const resolveLocal = ({ fields, problems }: TriggerBody, { type }: StoredCampaign): LateChoice | null => {
  const { late, local } = fields.trigger_config ?? {};
  const isLocal = local === true;
  if (isLocal && type !== "push")
    problems.add("trigger_config.local", "Only a push campaign's notifications have a sending time.");
  if (isSet(late) && !isLocal)
    problems.add("trigger_config.late", "Only a sending time with local: true has it: leave it out.");
  return isLocal ? (late ?? "skip") : null;
};

/** The minutes of an on_dwell trigger, which requires them; other triggers have none (contract P1, X20). */
const resolveDwell = ({ fields, problems }: TriggerBody, type: TriggerType) => {
  const { max_silence_minutes: silence, minutes } = fields.trigger_config ?? {};
  if (type === "on_dwell" && !isSet(minutes)) {
    if (!problems.has("trigger_config"))
      problems.add("trigger_config.minutes", "The minutes are required for on_dwell: write 1 to 1440.");
  } else if (type !== "on_dwell" && fields.trigger_type !== undefined) {
    for (const [name, value] of [
      ["minutes", minutes],
      ["max_silence_minutes", silence],
    ] as const) {
      if (isSet(value))
        problems.add(`trigger_config.${name}`, "Only on_dwell triggers have it: leave it out.");
    }
  }
  return { dwellMinutes: minutes ?? null, maxSilenceMinutes: silence ?? null };
};

/** The event of an on_event trigger, which requires it; other triggers have none (contract V4). */
const resolveEvent = ({ fields, problems }: TriggerBody, type: TriggerType): EventTrigger | null => {
  const { delay_minutes, event, unless_event, where } = fields.trigger_config ?? {};
  if (type !== "on_event") {
    if (fields.trigger_type === undefined) return null;
    for (const [name, value] of Object.entries({ event, where, delay_minutes, unless_event }))
      if (isSet(value))
        problems.add(`trigger_config.${name}`, "Only on_event triggers have it: leave it out.");
    return null;
  }
  if (!isSet(event)) {
    if (!problems.has("trigger_config"))
      problems.add("trigger_config.event", "The event is required for on_event: write its name.");
    return null;
  }
  const [delayMinutes, unless] = [delay_minutes ?? null, unless_event ?? null];
  return { name: event, where: (where ?? null) as PropertyRule | null, delayMinutes, unless };
};

const isSet = <A>(value: A | null | undefined): value is A => value !== undefined && value !== null;

const checkType = ({ fields, problems }: TriggerBody, campaign: StoredCampaign) => {
  if (fields.trigger_type === undefined) return;
  const isFixed = fields.trigger_type === "fixed_time";
  const isEvent = fields.trigger_type === "on_event";
  if (campaign.type === "event" && !isEvent) {
    problems.add(
      "trigger_type",
      "An event campaign's notifications are triggered by events: the trigger type must be on_event.",
    );
  } else if (campaign.type === "geo" && (isFixed || isEvent)) {
    problems.add(
      "trigger_type",
      "A geo campaign's notifications are triggered by entering or leaving: the trigger type must be " +
        "on_enter, on_exit or on_dwell.",
    );
  } else if (campaign.type === "push" && !isFixed) {
    problems.add(
      "trigger_type",
      "A push campaign's notifications are sent at a fixed time: the trigger type must be fixed_time.",
    );
  }
};

const refuseWindow = ({ fields, problems }: TriggerBody) => {
  for (const [name, noun] of [
    ["starts_at", "start"],
    ["ends_at", "end"],
  ] as const) {
    if (!isSet(fields[name])) continue;
    problems.add(name, `A push campaign's notifications have no window: leave the ${noun} out.`);
  }
};

const resolveSendAt = (
  { fields, problems }: TriggerBody,
  campaign: StoredCampaign,
  isLocal: boolean,
  stored: TimeOfDay | null,
  now: number,
): TimeOfDay | null => {
  const { timezone } = campaign;
  const day = dateAt(timezone, campaign.startsAt);
  const refuse = (sentence: string) => problems.add("trigger_config.send_at", sentence);
  const text = fields.trigger_config?.send_at?.trim();
  if (text === undefined) {
    if (!problems.has("trigger_config")) {
      const when = campaign.recurrence === null ? `on ${day} in ${timezone}` : `in ${timezone}`;
      refuse(`The sending time is required on a push campaign: write HH:MM ${when}.`);
    }
    return null;
  }
  if (campaign.recurrence !== null) {
    if (text.length !== 5) refuse("A recurring campaign sends on many days: write HH:MM alone.");
    return text as TimeOfDay;
  }
  const sendAt = readSendAt(text, campaign, stored);
  if (sendAt === null) {
    refuse(`The sending time must be on the campaign's day, which is ${day}: write HH:MM alone.`);
    return null;
  }
  if (isLocal) {
    const localAt = localTimeOf(campaign, sendAt);
    if (lastInstantOf(localAt) < now) refuse("The sending time has passed everywhere in the world.");
    return sendAt;
  }
  const at = sendInstant(campaign, sendAt);
  // At this very millisecond the stored send has started or is about to: it needs another time (contract F6).
  if (at < now || (at === now && stored !== null)) {
    refuse(`The sending time cannot be in the past (it is ${wallTimeAt(timezone, now)} in ${timezone}).`);
  }
  return sendAt;
};

/**
 * Null for a date that is not the campaign's day. A sending time copied from a response keeps the stored
 * time.
 */
const readSendAt = (text: string, campaign: Dates, stored: TimeOfDay | null): TimeOfDay | null => {
  if (stored !== null && text === showSendAt(campaign, stored)) return stored;
  if (text.length === 5) return text as TimeOfDay;
  const { date, time } = wallParts(text as WallTime);
  return date === dateAt(campaign.timezone, campaign.startsAt) ? time : null;
};

const resolveWindow = ({ fields, problems }: TriggerBody, campaign: StoredCampaign) => {
  const { endsAt, startsAt, timezone } = campaign;
  const start = isSet(fields.starts_at) ? startInstant(timezone, fields.starts_at) : null;
  const end = isSet(fields.ends_at) ? endInstant(timezone, fields.ends_at) : null;
  const shown = (ms: number) => `${wallTimeAt(timezone, ms)} in ${timezone}`;

  if (start !== null && start < startsAt) {
    problems.add("starts_at", `The start cannot be before the campaign's own (${shown(startsAt)}).`);
  } else if (start !== null && endsAt !== null && start >= endsAt) {
    problems.add("starts_at", `The start must be before the campaign's end (${shown(endsAt)}).`);
  }
  if (end !== null && endsAt !== null && end > endsAt) {
    problems.add("ends_at", `The end cannot be after the campaign's own (${shown(endsAt)}).`);
  } else if (end !== null && end <= startsAt) {
    problems.add("ends_at", `The end must be after the campaign's start (${shown(startsAt)}).`);
  }
  if (start !== null && end !== null && end <= start) {
    problems.add("ends_at", `The end must be after the start (${shown(start)}).`);
  }
  return { startsAt: start, endsAt: end };
};
