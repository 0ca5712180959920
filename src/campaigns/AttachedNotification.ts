import { type TimeOfDay, wallTimeAt } from "../time/LocalTime.ts";
import type { Problems } from "../wire/Problems.ts";
import { type CampaignDates, type ChangedDates, sendInstant } from "./CampaignDates.ts";

/** What a campaign's dates must leave room for: a notification on it, with its window or its time of sending. */
export interface AttachedNotification {
  readonly name: string;
  /** The time of sending on the campaign's day, of a push notification; else null. */
  readonly sendAt: TimeOfDay | null;
  /** The window of a geo notification in epoch milliseconds; null where the campaign's own date holds. */
  readonly windowStart: number | null;
  readonly windowEnd: number | null;
}

/**
 * Adds what an update of the dates would do to the campaign's notifications: a pending send that would lie in the past, a
 * window that would no longer lie within the campaign (contract E11).
 */
export const checkAttached = (
  problems: Problems,
  attached: ReadonlyArray<AttachedNotification>,
  stored: CampaignDates,
  next: CampaignDates,
  changed: ChangedDates,
  now: number,
): void => {
  for (const notification of attached) {
    if (notification.sendAt === null) checkWindow(problems, notification, next, changed);
    else checkSend(problems, notification.name, notification.sendAt, stored, next, now);
  }
};

const checkSend = (
  problems: Problems,
  name: string,
  sendAt: TimeOfDay,
  stored: CampaignDates,
  next: CampaignDates,
  now: number,
): void => {
  const moved = sendInstant(next, sendAt);
  if (sendInstant(stored, sendAt) <= now || moved >= now) return;
  problems.add(
    "starts_at",
    `The start would move the sending of "${name}" to ${wallTimeAt(next.timezone, moved)} in ${next.timezone}, ` +
      "which has passed: choose a later day, or change that notification first.",
  );
};

const checkWindow = (
  problems: Problems,
  { name, windowEnd, windowStart }: AttachedNotification,
  { endsAt, startsAt, timezone }: CampaignDates,
  changed: ChangedDates,
): void => {
  const blame = (date: "starts_at" | "ends_at") => (changed.start || changed.end ? date : "timezone");
  const shown = (ms: number) => `${wallTimeAt(timezone, ms)} in ${timezone}`;
  const advice = "change that notification first";
  if (windowStart !== null && windowStart < startsAt) {
    problems.add(
      blame("starts_at"),
      `The campaign would start after "${name}", whose window starts at ${shown(windowStart)}: start no later, or ${advice}.`,
    );
  } else if (windowStart === null && windowEnd !== null && windowEnd <= startsAt) {
    problems.add(
      blame("starts_at"),
      `The campaign would start after "${name}", whose window ends at ${shown(windowEnd)}: start earlier, or ${advice}.`,
    );
  }
  if (endsAt === null) return;
  if (windowEnd !== null && windowEnd > endsAt) {
    problems.add(
      blame("ends_at"),
      `The campaign would end before "${name}", whose window ends at ${shown(windowEnd)}: end no earlier, or ${advice}.`,
    );
  } else if (windowEnd === null && windowStart !== null && windowStart >= endsAt) {
    problems.add(
      blame("ends_at"),
      `The campaign would end before "${name}", whose window starts at ${shown(windowStart)}: end later, or ${advice}.`,
    );
  }
};
