import { dateAt, dayRange, daysOf, type LocalDate } from "../../time/LocalTime.ts";
import type { TimeZoneName } from "../../time/TimeZone.ts";

/** A day or a month that has rows. */
export interface RollupSpan {
  readonly span: "day" | "month";
  readonly startsOn: string;
}

/** The first day of the month that a day is in. */
export const monthOf = (date: string): string => `${date.slice(0, 8)}01`;

/** The first day of the month after the one that a day is in. */
export const monthAfter = (date: string): string =>
  monthOf(new Date(Date.parse(monthOf(date)) + 31 * 86_400_000).toISOString().slice(0, 10));

/** Before any month. */
export const noMonth = "-infinity";

/** The rows that a local day is added to: its own, and that of its month if that begins before `monthsBefore`. */
export const spansOf = (date: LocalDate, monthsBefore: string): ReadonlyArray<RollupSpan> => {
  const day = { span: "day", startsOn: date } as const;
  const month = monthOf(date);
  return month < monthsBefore ? [day, { span: "month", startsOn: month }] : [day];
};

/** Tells the local day of instants (epoch milliseconds), fast where one follows the other closely. */
export const daysIn = (zone: TimeZoneName): ((ms: number) => LocalDate) => {
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

/** A range of rows: of each day, or of each month, from one up to another, both included. */
export interface Part {
  readonly span: "day" | "month";
  readonly first: string;
  readonly last: string;
}

/** Which rows a range of whole days is read from: its whole months, of those that begin before `monthsBefore`, and the days beside them. */
export const partsOf = (dates: ReadonlyArray<LocalDate>, monthsBefore: string): ReadonlyArray<Part> => {
  const parts: Array<Part> = [];
  let first: string | undefined;
  for (const [place, date] of dates.entries()) {
    first ??= date;
    const next = dates[place + 1];
    if (next !== undefined && next.slice(0, 7) === date.slice(0, 7)) continue;
    const isWhole = first.endsWith("-01") && isLastOfMonth(date) && first < monthsBefore;
    const part: Part = { span: isWhole ? "month" : "day", first, last: isWhole ? first : date };
    const before = parts.at(-1);
    if (before?.span === part.span) parts.splice(-1, 1, { ...before, last: part.last });
    else parts.push(part);
    first = undefined;
  }
  return parts;
};

const isLastOfMonth = (date: string): boolean => new Date(Date.parse(date) + 86_400_000).getUTCDate() === 1;

/** Days whose rows are made at once. */
export interface BuildDays {
  readonly dates: ReadonlyArray<string>;
  /** For instants (microseconds) the places of their days in `dates`; fast where one follows the other closely. */
  readonly daysAt: (instants: Float64Array) => Int32Array;
}

/** The local days around the instants (epoch milliseconds) from one up to another. */
export const buildDays = (zone: TimeZoneName, fromMs: number, toMs: number): BuildDays => {
  const days = daysOf(zone, dateAt(zone, fromMs), dateAt(zone, toMs - 1));
  return {
    dates: days.map(({ date }) => date),
    daysAt: (instants) => {
      const places = new Int32Array(instants.length);
      let day = 0;
      let [from, to] = [0, 0];
      for (let row = 0; row < instants.length; row++) {
        const micros = instants[row] ?? 0;
        if (micros < from || micros >= to) {
          day = days.findLastIndex(({ fromMs }) => fromMs * 1000 <= micros);
          [from, to] = [(days[day]?.fromMs ?? 0) * 1000, (days[day]?.toMs ?? 0) * 1000];
        }
        places[row] = day;
      }
      return places;
    },
  };
};
