import { daysOf, type LocalDate } from "../time/LocalTime.ts";
import type { TimeZoneName } from "../time/TimeZone.ts";

/** The days of a report as instants (epoch milliseconds), from `fromMs` up to but without `toMs`. */
export interface ReportRange {
  readonly fromMs: number;
  readonly toMs: number;
  readonly dates: ReadonlyArray<LocalDate>;
  /** The first instant of each of `dates`, ascending. A day that the zone skipped begins with the next. */
  readonly dayStarts: ReadonlyArray<number>;
}

/** Whole local days, both included, by the present rules of the zone (range rule 1, contract K6). */
export const reportRange = (timezone: TimeZoneName, start: LocalDate, end: LocalDate): ReportRange => {
  const days = daysOf(timezone, start, end);
  return {
    fromMs: days[0]?.fromMs ?? 0,
    toMs: days.at(-1)?.toMs ?? 0,
    dates: days.map(({ date }) => date),
    dayStarts: days.map(({ fromMs }) => fromMs),
  };
};
