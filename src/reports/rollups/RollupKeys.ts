/** The keys of rows of rollups: days and months. */
import { dateAt, dayRange, type LocalDate } from "../../time/LocalTime.ts";
import type { TimeZoneName } from "../../time/TimeZone.ts";

/** A day or a month that has rows. */
export interface RollupSpan {
  readonly span: "day" | "month";
  readonly startsOn: string;
}

/** The first day of a day's month. */
export const monthOf = (date: string): string => `${date.slice(0, 8)}01`;

/** The first day of the month after a day's month. */
export const monthAfter = (date: string): string =>
  monthOf(new Date(Date.parse(monthOf(date)) + 31 * 86_400_000).toISOString().slice(0, 10));

/** A day before any month. */
export const noMonth = "-infinity";

/** The rows that a local day is added to: its own, and its month's if that begins before `monthsBefore`. */
export const spansOf = (date: LocalDate, monthsBefore: string): ReadonlyArray<RollupSpan> => {
  const day = { span: "day", startsOn: date } as const;
  const month = monthOf(date);
  return month < monthsBefore ? [day, { span: "month", startsOn: month }] : [day];
};

/** The local days of instants (epoch milliseconds). Fast where instants of one day follow each other. */
export const datesIn = (zone: TimeZoneName): ((ms: number) => LocalDate) => {
  let date = dateAt(zone, 0);
  let day = dayRange(zone, date, date);
  return (ms) => {
    if (ms < day.fromMs || ms >= day.toMs) {
      date = dateAt(zone, ms);
      day = dayRange(zone, date, date);
    }
    return date;
  };
};

/** Rows of consecutive days or months; `first` and `last` are included. */
export interface RollupPart {
  readonly span: "day" | "month";
  readonly first: string;
  readonly last: string;
}

/** The rows that hold a range of days: whole months before `monthsBefore`, and the days beside them. */
export const partsOf = (dates: ReadonlyArray<LocalDate>, monthsBefore: string): ReadonlyArray<RollupPart> => {
  const parts: Array<RollupPart> = [];
  for (const days of Map.groupBy(dates, monthOf).values()) {
    const [first = "", last = first] = [days[0], days.at(-1)];
    const isMonth = first.endsWith("-01") && isLastOfMonth(last) && first < monthsBefore;
    const part: RollupPart = { span: isMonth ? "month" : "day", first, last: isMonth ? first : last };
    const before = parts.at(-1);
    if (before?.span === part.span) parts.splice(-1, 1, { ...before, last: part.last });
    else parts.push(part);
  }
  return parts;
};

const isLastOfMonth = (date: string): boolean => new Date(Date.parse(date) + 86_400_000).getUTCDate() === 1;
