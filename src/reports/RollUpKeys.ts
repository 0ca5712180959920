import { dateAt, dayRange, daysOf, type LocalDate } from "../time/LocalTime.ts";
import type { TimeZoneName } from "../time/TimeZone.ts";

/** The two rows that a local day is added to: its own and that of its month, named by its first day. */
export const spansOf = (date: LocalDate) =>
  [
    { span: "day", startsOn: date as string },
    { span: "month", startsOn: `${date.slice(0, 8)}01` },
  ] as const;

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

/** Which rows a range of whole days is read from: its whole months, and the days at its edges. */
export const partsOf = (dates: ReadonlyArray<LocalDate>): ReadonlyArray<Part> => {
  const parts: Array<Part> = [];
  let first: string | undefined;
  for (const [place, date] of dates.entries()) {
    first ??= date;
    const next = dates[place + 1];
    if (next !== undefined && next.slice(0, 7) === date.slice(0, 7)) continue;
    const isWhole = first.endsWith("-01") && isLastOfMonth(date);
    const before = parts.at(-1);
    if (isWhole && before?.span === "month") parts.splice(-1, 1, { ...before, last: first });
    else if (isWhole) parts.push({ span: "month", first, last: first });
    else parts.push({ span: "day", first, last: date });
    first = undefined;
  }
  return parts;
};

const isLastOfMonth = (date: string): boolean => new Date(Date.parse(date) + 86_400_000).getUTCDate() === 1;

/** A day or a month that has rows. */
export interface BuildSpan {
  readonly span: "day" | "month";
  readonly startsOn: string;
}

/** Days whose rows are made at once, and their months. */
export interface BuildDays {
  /** The days, and behind them the months. */
  readonly spans: ReadonlyArray<BuildSpan>;
  /** For each day the place of its month in `spans`. */
  readonly monthOf: ReadonlyArray<number>;
  /** For instants (microseconds) the places of their days in `spans`; fast where one follows the other closely. */
  readonly daysAt: (instants: Float64Array) => Int32Array;
}

/** The local days around the instants (epoch milliseconds) from one up to another. */
export const buildDays = (zone: TimeZoneName, fromMs: number, toMs: number): BuildDays => {
  const days = daysOf(zone, dateAt(zone, fromMs), dateAt(zone, toMs - 1));
  const spans: Array<BuildSpan> = [];
  const months = new Map<string, number>();
  for (const { date } of days) spans.push(spansOf(date)[0]);
  const monthOf = days.map(({ date }) => {
    const month = spansOf(date)[1];
    const known = months.get(month.startsOn);
    if (known !== undefined) return known;
    months.set(month.startsOn, spans.length);
    return spans.push(month) - 1;
  });
  return {
    spans,
    monthOf,
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
