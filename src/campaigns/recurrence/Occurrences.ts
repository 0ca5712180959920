/** The dates on which push campaigns send, as pure rules over local days (contract V1, V2). */
import { addDays } from "../../time/DayNumbers.ts";
import {
  dateAt,
  dayEnd,
  instantAt,
  type LocalDate,
  type TimeOfDay,
  wallParts,
  type WallTime,
} from "../../time/LocalTime.ts";
import { hundredYearsAfter, lastDate, lastDays, ruleDays } from "../../time/RecurrenceDays.ts";
import { parseRule, type RecurrenceRule } from "../../time/RecurrenceRule.ts";
import type { TimeZoneName } from "../../time/TimeZone.ts";
import type { Problems } from "../../wire/Problems.ts";
import { lastInstantOf, type LateChoice } from "../LocalSend.ts";
import type { Recurrence } from "./Recurrence.ts";

/** The dates of a push campaign, instants in epoch milliseconds. */
export interface RecurringDates {
  readonly timezone: TimeZoneName;
  readonly startsAt: number;
  /** The end of the day of its last occurrence; null if it has none. */
  readonly endsAt: number | null;
  /** Null for a campaign of one day. */
  readonly recurrence: Recurrence | null;
}

/** The rule of a stored recurrence, which was valid when it was stored. */
const ruleOf = ({ rule }: Recurrence): RecurrenceRule => {
  const read = parseRule(rule);
  if (typeof read === "string") throw new Error(read);
  return read;
};

/** The first day of a campaign in its zone. */
export const firstDay = ({ startsAt, timezone }: Pick<RecurringDates, "startsAt" | "timezone">): LocalDate =>
  dateAt(timezone, startsAt);

/** The dates of a campaign from one date to another, both included, in order: its day, if it has no rule. */
export function* occurrencesBetween(
  dates: RecurringDates,
  from: LocalDate,
  to: LocalDate,
): Generator<LocalDate> {
  const { endsAt, recurrence, timezone } = dates;
  const first = firstDay(dates);
  if (recurrence === null) {
    if (from <= first && first <= to) yield first;
    return;
  }
  const except = new Set(recurrence.except);
  const end = endsAt === null ? to : dateAt(timezone, endsAt);
  for (const date of ruleDays(ruleOf(recurrence), first, from, end < to ? end : to))
    if (!except.has(date)) yield date;
}

/** The instant after which a send of a date has passed: at a local time, once it has everywhere. */
export const lastInstant = (
  timezone: TimeZoneName,
  date: LocalDate,
  { late, sendAt }: { readonly sendAt: TimeOfDay; readonly late: LateChoice | null },
): number =>
  late === null ? instantAt(timezone, date, sendAt) : lastInstantOf(`${date} ${sendAt}` as WallTime);

/** The ends of a recurring campaign, in epoch milliseconds; null for none. */
interface Ends {
  /** The end of the day of its last occurrence. */
  readonly endsAt: number | null;
  /** The end of the last day that was written. */
  readonly writtenEnd: number | null;
}

/**
 * Resolves where a recurring campaign ends, and adds the problems of its rule and of its last day (contract
 * Z18, Z19). A campaign without any occurrence ends where it could have one last.
 */
export const resolveEnds = (
  problems: Problems,
  recurrence: Recurrence,
  start: Pick<RecurringDates, "startsAt" | "timezone">,
  writtenEnd: WallTime | null,
): Ends => {
  const { timezone } = start;
  const rule = ruleOf(recurrence);
  const first = firstDay(start);
  const refuse = (sentence: string) => problems.add("recurrence.rule", sentence);
  const written = writtenEnd === null ? null : wallParts(writtenEnd).date;
  const isEndless = written === null && rule.count === null && rule.until === null;
  const lasts = lastDays(rule, first, written ?? (isEndless ? first : lastDate), recurrence.except);
  if (rule.until !== null && rule.until < first)
    refuse(`The recurrence rule is wrong at UNTIL: it is before the first day, ${first}.`);
  else if (lasts === null)
    refuse(
      `The recurrence rule meets no day within 100 years of the first one, ${first}: change it so that it ` +
        `meets one by ${hundredYearsAfter(first)}.`,
    );
  if (written !== null && written < first)
    problems.add("ends_at", `The last day cannot be before the first one, which is ${first}.`);
  if (!problems.isEmpty || isEndless) return { endsAt: null, writtenEnd: null };
  const last = lasts?.kept ?? written ?? lasts?.met ?? first;
  return {
    endsAt: dayEnd(timezone, last),
    writtenEnd: written === null ? null : dayEnd(timezone, written),
  };
};

/** The number of days after today until which sends are planned (contract V2). */
const plannedDays = 35;

/** The last date whose sends are planned at an instant. */
export const planHorizon = (timezone: TimeZoneName, now: number): LocalDate =>
  addDays(dateAt(timezone, now), plannedDays);
