import { dateAt, dayRange, type LocalDate } from "../time/LocalTime.ts";
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

/** Which rows a range of whole days is read from: its whole months, and the days at its edges; ascending. */
export const partsOf = (dates: ReadonlyArray<LocalDate>) => {
  const months: Array<string> = [];
  const days: Array<string> = [];
  let of: Array<string> = [];
  for (const [place, date] of dates.entries()) {
    of.push(date);
    const next = dates[place + 1];
    if (next !== undefined && next.slice(0, 7) === date.slice(0, 7)) continue;
    const isWhole = of[0]?.endsWith("-01") === true && isLastOfMonth(date);
    if (isWhole) months.push(of[0] ?? date);
    else days.push(...of);
    of = [];
  }
  return { months, days };
};

const isLastOfMonth = (date: string): boolean => new Date(Date.parse(date) + 86_400_000).getUTCDate() === 1;
