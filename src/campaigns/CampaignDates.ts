import {
  dateAt,
  dayEnd,
  endInstant,
  instantAt,
  startInstant,
  type TimeOfDay,
  wallTimeAt,
} from "../time/LocalTime.ts";
import type { TimeZoneName } from "../time/TimeZone.ts";
import type { ParsedBody } from "../wire/ParsedBody.ts";
import type { CampaignDraft } from "./CampaignDraft.ts";
import type { CampaignPeriod } from "./CampaignStatus.ts";

/** When a campaign runs, in epoch milliseconds, and the zone in which its dates are written. */
export interface CampaignDates extends CampaignPeriod {
  readonly timezone: TimeZoneName;
}

/**
 * When a notification of a push campaign is sent, in epoch milliseconds: its time on the campaign's day, whatever time of
 * that day the campaign's start names (contract E1 for clock changes).
 */
export const sendInstant = (
  { startsAt, timezone }: Pick<CampaignDates, "startsAt" | "timezone">,
  sendAt: TimeOfDay,
): number => instantAt(timezone, dateAt(timezone, startsAt), sendAt);

/** Which of its dates an update rewrites, as they read in the zone that the campaign has so far. */
export interface ChangedDates {
  readonly start: boolean;
  readonly end: boolean;
}

/**
 * Works out the dates of a draft and adds what is wrong with them to its problems (write rules 2–4, contract E1–E3, E12).
 * `stored` is the campaign that is updated, null for a new one. Null where too little could be read.
 */
export const resolveDates = (
  { fields, problems }: ParsedBody<CampaignDraft>,
  stored: CampaignDates | null,
  now: number,
): CampaignDates | null => {
  const { starts_at: start, timezone, type } = fields;
  if (start === undefined || timezone === undefined) return null;
  const startsAt = startInstant(timezone, start);

  if (stored !== null && stored.startsAt <= now) {
    if (startsAt !== stored.startsAt) {
      const kept = `${wallTimeAt(timezone, stored.startsAt)} in ${timezone}`;
      if (timezone !== stored.timezone && startInstant(stored.timezone, start) === stored.startsAt) {
        problems.add(
          "timezone",
          "The time zone of a campaign that has started can change only if its start stays the same instant: " +
            `write the start as ${kept}, or keep the time zone ${stored.timezone}.`,
        );
      } else {
        problems.add("starts_at", `The start cannot change once the campaign has started: it is ${kept}.`);
      }
    }
  } else {
    const today = dateAt(timezone, now);
    if (dateAt(timezone, startsAt) < today) {
      problems.add("starts_at", `The start cannot be before today (${today} in ${timezone}).`);
    }
  }

  if (type === undefined) return null;
  const endsAt = type === "push" ? dayEnd(timezone, dateAt(timezone, startsAt)) : endOf(timezone, fields);
  if (endsAt !== null && endsAt <= startsAt) {
    // The day of a push campaign can only be over at its start at the end of time, where all instants are one.
    if (type === "push")
      problems.add("starts_at", "The start must be before the last minute of the year 9999.");
    else {
      const start = `${wallTimeAt(timezone, startsAt)} in ${timezone}`;
      problems.add("ends_at", `The end must be after the start (${start}).`);
    }
  }
  return { timezone, startsAt, endsAt };
};

const endOf = (timezone: TimeZoneName, { ends_at: end }: Partial<CampaignDraft>): number | null =>
  end === undefined || end === null ? null : endInstant(timezone, end);

/** Which dates a draft changes: a date that reads the same in the zone the campaign has is not a change, even if the zone is. */
export const changedDates = (fields: Partial<CampaignDraft>, stored: CampaignDates): ChangedDates => ({
  start:
    fields.starts_at !== undefined && startInstant(stored.timezone, fields.starts_at) !== stored.startsAt,
  end: endOf(stored.timezone, fields) !== stored.endsAt,
});
