/**
 * The dates of a campaign as pure rules, which `Campaigns` checks: the start cannot be before today nor
 * change once the campaign has started, and the end must be after the start (write rules 2–4).
 */
import {
  dateAt,
  dayEnd,
  dayStart,
  endInstant,
  instantAt,
  startInstant,
  type TimeOfDay,
  type WallTime,
  wallTimeAt,
} from "../time/LocalTime.ts";
import type { TimeZoneName } from "../time/TimeZone.ts";
import type { ParsedBody } from "../wire/ParsedBody.ts";
import type { Problems } from "../wire/Problems.ts";
import type { CampaignType } from "./Campaign.ts";
import type { CampaignDraft } from "./CampaignDraft.ts";
import { type RecurringDates, resolveEnds } from "./recurrence/Occurrences.ts";
import { storedRecurrence } from "./recurrence/Recurrence.ts";

/** The start and end of a campaign, in epoch milliseconds, and the zone in which its dates are written. */
export interface CampaignDates extends RecurringDates {
  /** Of a recurring campaign: the end of the last day that was written, if one was. */
  readonly writtenEnd: number | null;
}

/** The dates of a stored campaign, with its type. */
interface TypedDates extends CampaignDates {
  readonly type: CampaignType;
}

/**
 * The instant at which a notification of a push campaign is sent, in epoch milliseconds: its time on the
 * campaign's day. The time of day of the campaign's start does not matter; clock changes follow contract E1.
 */
export const sendInstant = (
  { startsAt, timezone }: Pick<CampaignDates, "startsAt" | "timezone">,
  sendAt: TimeOfDay,
): number => instantAt(timezone, dateAt(timezone, startsAt), sendAt);

/**
 * Whether a campaign has started: a push campaign when its day has begun, whatever the time of its start
 * (contract E3), because it sends from then on.
 */
export const hasStarted = (
  { startsAt, timezone, type }: Pick<TypedDates, "startsAt" | "timezone" | "type">,
  now: number,
): boolean => (type === "push" ? dayStart(timezone, dateAt(timezone, startsAt)) : startsAt) <= now;

/** The dates that an update changes, compared in the stored time zone. */
export interface ChangedDates {
  readonly start: boolean;
  readonly end: boolean;
}

/**
 * Resolves the dates of a draft to instants and adds their problems (write rules 2–4, contract E1–E3, E12).
 * `stored` is the campaign that is updated, null for a new one. Null if a field is missing.
 */
export const resolveDates = (
  { fields, problems }: ParsedBody<CampaignDraft>,
  stored: TypedDates | null,
  now: number,
): CampaignDates | null => {
  const { starts_at: start, timezone, type } = fields;
  if (start === undefined || timezone === undefined) return null;
  const startsAt = startInstant(timezone, start);
  const today = dateAt(timezone, now);
  if (stored !== null && hasStarted(stored, now)) {
    checkKeptStart(problems, stored, { timezone, start, startsAt });
  } else if (dateAt(timezone, startsAt) < today) {
    problems.add("starts_at", `The start cannot be before today (${today} in ${timezone}).`);
  }

  if (type === undefined) return null;
  const recurrence = type === "push" ? storedRecurrence(fields.recurrence) : null;
  if (recurrence !== null) {
    const ends = resolveEnds(problems, recurrence, { timezone, startsAt }, fields.ends_at ?? null);
    return { timezone, startsAt, recurrence, ...ends };
  }
  const endsAt = type === "push" ? dayEnd(timezone, dateAt(timezone, startsAt)) : endOf(timezone, fields);
  if (endsAt !== null && endsAt <= startsAt) {
    if (type !== "push") {
      const shown = `${wallTimeAt(timezone, startsAt)} in ${timezone}`;
      problems.add("ends_at", `The end must be after the start (${shown}).`);
    } else {
      // The last instant is 9999-12-31T23:59:59Z: only there can the day of a push campaign end at its start.
      problems.add("starts_at", "The start must be before the last minute of the year 9999.");
    }
  }
  return { timezone, startsAt, endsAt, writtenEnd: null, recurrence: null };
};

interface SentStart {
  readonly timezone: TimeZoneName;
  readonly start: WallTime;
  readonly startsAt: number;
}

/**
 * The start of a campaign that has started cannot change, so its time zone can change only at the same
 * instant.
 */
const checkKeptStart = (
  problems: Problems,
  stored: CampaignDates,
  { start, startsAt, timezone }: SentStart,
): void => {
  if (startsAt === stored.startsAt) return;
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
};

const endOf = (timezone: TimeZoneName, { ends_at: end }: Partial<CampaignDraft>): number | null =>
  end === undefined || end === null ? null : endInstant(timezone, end);

/** The dates that a draft changes. A date that is the same in the stored time zone counts as unchanged. */
export const changedDates = (fields: Partial<CampaignDraft>, stored: CampaignDates): ChangedDates => ({
  start:
    fields.starts_at !== undefined && startInstant(stored.timezone, fields.starts_at) !== stored.startsAt,
  end: endOf(stored.timezone, fields) !== stored.endsAt,
});
