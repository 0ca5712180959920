import { type TimeOfDay, wallTimeAt } from "../time/LocalTime.ts";
import type { Problems } from "../wire/Problems.ts";
import { type CampaignDates, type ChangedDates, sendInstant } from "./CampaignDates.ts";
import { lastInstantOf, type LateChoice, localTimeOf } from "./LocalSend.ts";

/**
 * A notification on a campaign with its window or sending time, which the campaign's dates must leave room
 * for.
 */
export interface AttachedNotification {
  readonly name: string;
  /** The sending time of a push notification on the campaign's day; else null. */
  readonly sendAt: TimeOfDay | null;
  /** Of a send at a local time; else null. */
  readonly late: LateChoice | null;
  /** The window of a geo notification in epoch milliseconds; null for the campaign's own date. */
  readonly windowStart: number | null;
  readonly windowEnd: number | null;
}

/**
 * Checks new dates of a campaign against its notifications: a scheduled send cannot move into the past, and
 * windows must lie within the campaign (contract E11).
 */
export const checkAttached = (
  problems: Problems,
  attached: ReadonlyArray<AttachedNotification>,
  stored: CampaignDates,
  next: CampaignDates,
  changed: ChangedDates,
  now: number,
): void => {
  for (const each of attached) {
    if (each.sendAt === null) checkWindow(problems, each, next, changed);
    // A time that has passed is no error of a recurring campaign, nor of one that stops recurring (Z20, Z21).
    else if (next.recurrence === null && stored.recurrence === null)
      checkSend(problems, each.name, lastInstant(each.sendAt, each.late), stored, next, now);
  }
};

type LastInstant = (dates: CampaignDates) => number;

/** The instant after which a send has passed: at a local time, once it has passed everywhere. */
const lastInstant =
  (sendAt: TimeOfDay, late: LateChoice | null): LastInstant =>
  (dates) =>
    late === null ? sendInstant(dates, sendAt) : lastInstantOf(localTimeOf(dates, sendAt));

const checkSend = (
  problems: Problems,
  name: string,
  instantIn: LastInstant,
  stored: CampaignDates,
  next: CampaignDates,
  now: number,
): void => {
  const moved = instantIn(next);
  if (instantIn(stored) <= now || moved >= now) return;
  problems.add(
    "starts_at",
    `The start would move the sending of "${name}" to ${wallTimeAt(next.timezone, moved)} in ` +
      `${next.timezone}, ` +
      "which has passed: choose a later day, or change that notification first.",
  );
};

const checkWindow = (
  problems: Problems,
  { name, windowEnd, windowStart }: Omit<AttachedNotification, "sendAt" | "late">,
  { endsAt, startsAt, timezone }: CampaignDates,
  changed: ChangedDates,
): void => {
  const windowText = (boundary: "starts" | "ends", ms: number) =>
    `whose window ${boundary} at ${wallTimeAt(timezone, ms)} in ${timezone}`;
  // An update that changes no date can only have moved them by its time zone.
  const refuse = (field: "starts_at" | "ends_at", sentence: string, remedy: string) =>
    problems.add(
      changed.start || changed.end ? field : "timezone",
      `The campaign would ${sentence}: ${remedy}, or change that notification first.`,
    );
  if (windowStart !== null && windowStart < startsAt) {
    refuse("starts_at", `start after "${name}", ${windowText("starts", windowStart)}`, "start no later");
  } else if (windowStart === null && windowEnd !== null && windowEnd <= startsAt) {
    refuse("starts_at", `start after "${name}", ${windowText("ends", windowEnd)}`, "start earlier");
  }
  if (endsAt === null) return;
  if (windowEnd !== null && windowEnd > endsAt) {
    refuse("ends_at", `end before "${name}", ${windowText("ends", windowEnd)}`, "end no earlier");
  } else if (windowEnd === null && windowStart !== null && windowStart >= endsAt) {
    refuse("ends_at", `end before "${name}", ${windowText("starts", windowStart)}`, "end later");
  }
};
