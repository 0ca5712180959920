import { isWithin } from "../campaigns/CampaignStatus.ts";
import { meets } from "../rules/Rule.ts";
import type { IncomingEvent } from "./IncomingEvent.ts";
import { isRecent } from "./Transition.ts";
import type { TriggerMatch } from "./TriggerMatch.ts";

/** A minute in milliseconds. */
export const minuteMillis = 60_000;

/** Whether an instant lies within the campaign and the window of a notification. */
const isInTime = (
  { campaign_ends, campaign_starts, window_ends, window_starts }: TriggerMatch,
  at: number,
): boolean =>
  isWithin({ startsAt: campaign_starts, endsAt: campaign_ends }, at) &&
  isWithin({ startsAt: window_starts ?? -Infinity, endsAt: window_ends }, at);

/** Whether a notification can fire at an instant: it is in its time, and its campaign is not paused. */
export const isOpenAt = (triggerMatch: TriggerMatch, at: number): boolean =>
  !triggerMatch.paused && isInTime(triggerMatch, at);

/** Whether the rule of a notification over the properties of custom events holds for an event. */
export const hears = (event: IncomingEvent, { event: trigger }: TriggerMatch): boolean => {
  const where = trigger?.where ?? null;
  return event.type !== "custom" || where === null || meets(where, event.properties);
};

/** Whether a notification fires at once for an event, which was reported in time (contract L1). */
export const canFire = (match: TriggerMatch, { occurredAt, receivedAt, trigger }: IncomingEvent): boolean =>
  match.trigger_type === trigger &&
  !match.event?.delayMinutes &&
  isRecent(occurredAt, receivedAt) &&
  isOpenAt(match, occurredAt);

/** A notification that waits for its minute after an event, in epoch milliseconds. */
export interface WaitingMatch {
  readonly match: TriggerMatch;
  readonly dueAt: number;
}

/** The minutes that a notification waits after an event; null if it does not wait for this one. */
const minutesOf = ({ dwell_minutes, event, trigger_type }: TriggerMatch, type: IncomingEvent["type"]) => {
  if (type === "custom") return event?.delayMinutes || null;
  return type === "enter" && trigger_type === "on_dwell" ? dwell_minutes : null;
};

/**
 * The notifications that wait for their minute after an event. One whose minute is over 15 minutes past waits
 * for none (contract X22, Z30), nor for a custom event before or after its time (Z31).
 */
export const waitsOf = (
  matches: ReadonlyArray<TriggerMatch>,
  { occurredAt, receivedAt, type }: IncomingEvent,
): ReadonlyArray<WaitingMatch> =>
  matches.flatMap((match) => {
    const minutes = minutesOf(match, type);
    if (minutes === null) return [];
    const dueAt = occurredAt + minutes * minuteMillis;
    const isOpen = type !== "custom" || isInTime(match, occurredAt);
    return isOpen && isRecent(dueAt, receivedAt) ? [{ match, dueAt }] : [];
  });
