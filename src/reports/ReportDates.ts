/** The days of a report: its parameters `start` and `end` (contract K7). */
import { Schema } from "effect";
import { addDays } from "../time/DayNumbers.ts";
import { dateAt, daysBetween, LocalDate } from "../time/LocalTime.ts";
import type { TimeZoneName } from "../time/TimeZone.ts";
import { parseFields } from "../wire/ParsedBody.ts";
import { givenOnce, type Problems } from "../wire/Problems.ts";
import { fieldSentence } from "../wire/FieldSentence.ts";

/** The days of a range without a start. */
export const defaultDays = 30;
/** The most days of a range. */
export const maxDays = 366;

/** The schemas of both parameters. */
export const dateFields = { start: Schema.optionalKey(LocalDate), end: Schema.optionalKey(LocalDate) };

/** The parameters of a range, unread. */
export interface SentRange {
  readonly start?: string | ReadonlyArray<string>;
  readonly end?: string | ReadonlyArray<string>;
}

/** Reads the parameters of a range alone; what is left out is null. Adds their problems. */
export const readDates = (sent: SentRange, problems: Problems) => {
  const single = { start: sent.start, end: sent.end };
  const texts = Object.entries(single).flatMap(([name, value]) =>
    typeof value === "string" ? [[name, value]] : [],
  );
  const read = parseFields(
    Schema.Struct(dateFields),
    Object.fromEntries(texts) as { readonly [name: string]: unknown },
  );
  problems.addAll(read.problems.fields);
  for (const [name, value] of Object.entries(single)) {
    if (Array.isArray(value)) problems.add(name, fieldSentence(givenOnce, [name]));
  }
  return { start: read.fields.start ?? null, end: read.fields.end ?? null };
};

/** Reads the range of a report, with its defaults. Adds the problems of both ends (contract K7). */
export const readRange = (
  sent: SentRange,
  { now, timezone }: { readonly now: number; readonly timezone: TimeZoneName },
  problems: Problems,
) => {
  const read = readDates(sent, problems);
  const end = read.end ?? dateAt(timezone, now);
  const start = read.start ?? addDays(end, -defaultDays);
  if (!problems.has("start") && !problems.has("end")) {
    checkRange(start, end, read.end === null ? `today in ${timezone}` : null, problems);
  }
  return { start, end };
};

/** Checks the length and order of a range. `defaultEnd` says which day the end is where it was left out. */
const checkRange = (
  start: LocalDate,
  end: LocalDate,
  defaultEnd: string | null,
  problems: Problems,
): void => {
  const days = daysBetween(start, end);
  if (days < 0) {
    problems.add(
      "end",
      defaultEnd === null
        ? `The end (${end}) cannot be before the start (${start}).`
        : `The end is ${end} (${defaultEnd}) when it is left out, which is before the start (${start}): ` +
            "send an end too.",
    );
  }
  if (days > maxDays) {
    problems.add(
      "start",
      `The start can be at most ${maxDays} days before the end (${end}): ${addDays(end, -maxDays)} or later.`,
    );
  }
};
