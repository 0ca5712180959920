import { addDays } from "./DayNumbers.ts";
import { dateAt, instantAt, type TimeOfDay } from "./LocalTime.ts";
import type { TimeZoneName } from "./TimeZone.ts";

/** A period of every local day: from one time of day to another, past midnight if that is the earlier one. */
export interface DailyPeriod {
  readonly from: TimeOfDay;
  readonly to: TimeOfDay;
}

/** A period that began on the day before yesterday lasts until now only over a day that the zone skipped. */
const maxDaysBack = 2;
/** Two periods meet where a clock change moves the end of one to the start of the next, and no more do. */
const maxPeriods = 3;

/** The end of a period that an instant lies in; null if it lies in none. */
const endAround = (zone: TimeZoneName, { from, to }: DailyPeriod, ms: number): number | null => {
  const today = dateAt(zone, ms);
  for (let back = 0; back <= maxDaysBack; back++) {
    const date = addDays(today, -back);
    const start = instantAt(zone, date, from);
    const end = instantAt(zone, to > from ? date : addDays(date, 1), to);
    if (start <= ms && ms < end) return end;
  }
  return null;
};

/**
 * When the period around an instant ends; null outside of it. The start belongs to the period, the end does
 * not. Clock changes follow E1: a time in a gap moves forward, and in a fold the earlier instant counts. All
 * are epoch milliseconds.
 */
export const dailyPeriodEnd = (zone: TimeZoneName, period: DailyPeriod, ms: number): number | null => {
  let end: number | null = null;
  for (let count = 0; count < maxPeriods; count++) {
    const next = endAround(zone, period, end ?? ms);
    if (next === null) return end;
    end = next;
  }
  return end;
};
