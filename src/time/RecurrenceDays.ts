/** The days that a recurrence rule meets, by the table of RFC 5545, section 3.3.10. */
import { dateOfDay, DAY_MS, dayNumber } from "./DayNumbers.ts";
import type { LocalDate } from "./LocalTime.ts";
import type { RecurrenceRule } from "./RecurrenceRule.ts";

/** The last date there is. */
export const lastDate = "9999-12-31" as LocalDate;

/** The periods, months and days that this process has checked for rules; tests bound them. */
export const checked = { steps: 0 };

/** The last date of a rule: the same date a hundred years after its first day (contract TR5). */
export const hundredYearsAfter = (date: LocalDate): LocalDate =>
  date >= "9900" ? lastDate : dateOfDay(dayNumber(`${Number(date.slice(0, 4)) + 100}${date.slice(4)}`));

/** Day 0, 1970-01-01, was a Thursday; a period can begin a week before it. */
const weekdayOf = (day: number): number => (day + 10) % 7;

const isLeap = (year: number): boolean => year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
/** The days of a year without a leap day before each of its months. */
const daysBefore = [0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334];

/** The first day of a month, counted from 0 for January of the year. Ten times as fast as a `Date`. */
const monthStart = (ofYear: number, ofMonth: number): number => {
  const year = ofYear + Math.floor(ofMonth / 12);
  const month = ofMonth - 12 * Math.floor(ofMonth / 12);
  const past = year - 1;
  // 477 leap days came before 1970.
  const leapDays = Math.floor(past / 4) - Math.floor(past / 100) + Math.floor(past / 400) - 477;
  const own = month > 1 && isLeap(year) ? 1 : 0;
  return 365 * (year - 1970) + leapDays + own + (daysBefore[month] ?? 0);
};

/** The year and the month, from 0, of a day. */
const yearAndMonth = (day: number): readonly [year: number, month: number] => {
  const date = new Date(day * DAY_MS);
  return [date.getUTCFullYear(), date.getUTCMonth()];
};

/** The periods of a rule: the days, weeks, months or years from that of the first day on. */
const periodsOf = ({ frequency, weekStart }: RecurrenceRule, first: number) => {
  const [year, month] = yearAndMonth(first);
  const firstWeek = first - ((weekdayOf(first) - weekStart + 7) % 7);
  switch (frequency) {
    case "DAILY":
      return { start: (index: number) => first + index, indexOf: (day: number) => day - first };
    case "WEEKLY":
      return {
        start: (index: number) => firstWeek + 7 * index,
        indexOf: (day: number) => Math.floor((day - firstWeek) / 7),
      };
    case "MONTHLY":
      return {
        start: (index: number) => monthStart(year, month + index),
        indexOf: (day: number) => {
          const [ofYear, ofMonth] = yearAndMonth(day);
          return (ofYear - year) * 12 + ofMonth - month;
        },
      };
    default:
      return {
        start: (index: number) => monthStart(year + index, 0),
        indexOf: (day: number) => yearAndMonth(day)[0] - year,
      };
  }
};

/** A rule without the parts that pick days takes them from its first day. */
const completed = (rule: RecurrenceRule, first: number): RecurrenceRule => {
  if (rule.weekdays.length > 0 || rule.monthDays.length > 0) return rule;
  const date = new Date(first * DAY_MS);
  switch (rule.frequency) {
    case "DAILY":
      return rule;
    case "WEEKLY":
      return { ...rule, weekdays: [{ weekday: weekdayOf(first), ordinal: null }] };
    default: {
      const isDayOfYear = rule.frequency === "YEARLY" && rule.months.length === 0;
      const months = isDayOfYear ? [date.getUTCMonth() + 1] : rule.months;
      return { ...rule, months, monthDays: [date.getUTCDate()] };
    }
  }
};

/** A table of the numbers that a rule lists, negative ones from its end. Much faster than a set. */
const tableOf = (numbers: ReadonlyArray<number>, size: number): Uint8Array => {
  const table = new Uint8Array(size);
  for (const number of numbers) table[number < 0 ? size + number : number] = 1;
  return table;
};

/**
 * Makes the function that gives the days from one day to another, the second not included, that are in the
 * set of their period.
 */
const daysInSet = (
  { frequency, interval, monthDays, months, weekdays }: RecurrenceRule,
  firstDay: number,
) => {
  const inMonths = tableOf(months, 13);
  const inMonthDays = tableOf(monthDays, 64);
  const plain = weekdays.filter(({ ordinal }) => ordinal === null).map(({ weekday }) => weekday);
  const inWeekdays = tableOf(weekdays.length === 0 ? [0, 1, 2, 3, 4, 5, 6] : plain, 7);
  const numbered = weekdays.filter(({ ordinal }) => ordinal !== null);
  const haveNumbers = tableOf(
    numbered.map(({ weekday }) => weekday),
    7,
  );
  const inNumbered = tableOf(
    numbered.map(({ ordinal, weekday }) => (ordinal ?? 0) * 7 + weekday),
    1024,
  );
  const isOfYear = frequency === "YEARLY" && months.length === 0;
  const step = frequency === "DAILY" ? interval : 1;

  /** Whether a day is one of the nth weekdays from the start or the end of its month or year. */
  const isNumbered = (day: number, weekday: number, start: number, end: number): boolean => {
    const fromStart = Math.floor((day - start) / 7) + 1;
    const fromEnd = -Math.floor((end - 1 - day) / 7) - 1;
    return inNumbered[fromStart * 7 + weekday] === 1 || inNumbered[1024 + fromEnd * 7 + weekday] === 1;
  };

  return (from: number, to: number): ReadonlyArray<number> => {
    const days: Array<number> = [];
    const [year, first] = yearAndMonth(from);
    for (let day = from, month = first, end = 0; day < to; day = end, month++) {
      checked.steps++;
      const start = monthStart(year, month);
      end = monthStart(year, month + 1);
      if (months.length > 0 && inMonths[(month % 12) + 1] === 0) continue;
      const [unitStart, unitEnd] =
        isOfYear && numbered.length > 0
          ? [monthStart(year, month - (month % 12)), monthStart(year, month - (month % 12) + 12)]
          : [start, end];
      const last = Math.min(end, to);
      for (let each = day + ((((firstDay - day) % step) + step) % step); each < last; each += step) {
        checked.steps++;
        if (monthDays.length > 0 && inMonthDays[each - start + 1] === 0 && inMonthDays[64 + each - end] === 0)
          continue;
        const weekday = weekdayOf(each);
        if (
          inWeekdays[weekday] === 1 ||
          (haveNumbers[weekday] === 1 && isNumbered(each, weekday, unitStart, unitEnd))
        )
          days.push(each);
      }
    }
    return days;
  };
};

/** The numbers of the days that a rule meets, in order; none is over a hundred years after the first day. */
function* metDays(rule: RecurrenceRule, first: LocalDate, from: number, to: number): Generator<number> {
  const { count, frequency, until } = rule;
  // Each day is the first and the last one of its period, so a daily rule is read by months.
  const periods: RecurrenceRule =
    frequency === "DAILY" ? { ...rule, frequency: "MONTHLY", interval: 1, positions: [] } : rule;
  const { interval } = periods;
  const positions = new Set(periods.positions);
  const firstNumber = dayNumber(first);
  const end = Math.min(to, dayNumber(until ?? lastDate), dayNumber(hundredYearsAfter(first)));
  const inSet = daysInSet(completed(rule, firstNumber), firstNumber);
  const { indexOf, start } = periodsOf(periods, firstNumber);
  // COUNT counts all days, so those before `from` too.
  const begin = count === null ? Math.max(firstNumber, from) : firstNumber;
  let met = 0;
  for (let index = Math.floor(indexOf(begin) / interval) * interval; start(index) <= end; index += interval) {
    checked.steps++;
    const days = inSet(start(index), start(index + 1));
    for (let at = 0; at < days.length; at++) {
      const day = days[at] ?? 0;
      if (day > end) return;
      const isPicked = positions.size === 0 || positions.has(at + 1) || positions.has(at - days.length);
      if (!isPicked || day < firstNumber) continue;
      if (day >= from) yield day;
      if (++met === count) return;
    }
  }
}

/**
 * The days that a rule meets from one date to another, both included, in order. `first` is the first day of
 * the rule, from which COUNT and INTERVAL count.
 */
export function* ruleDays(
  rule: RecurrenceRule,
  first: LocalDate,
  from: LocalDate,
  to: LocalDate,
): Generator<LocalDate> {
  for (const day of metDays(rule, first, dayNumber(from), dayNumber(to < lastDate ? to : lastDate)))
    yield dateOfDay(day);
}

/** The last days of a rule until a date, null for none: of all that it meets, and without `except`. */
export interface LastDays {
  readonly met: LocalDate | null;
  readonly kept: LocalDate | null;
}

/** Finds the last days of a rule in one walk. Null if it meets no day, also none after the date. */
export const lastDays = (
  rule: RecurrenceRule,
  first: LocalDate,
  to: LocalDate,
  except: ReadonlyArray<LocalDate>,
): LastDays | null => {
  const left = new Set(except.map(dayNumber));
  const last = dayNumber(to);
  let [met, kept, any] = [-1, -1, -1];
  for (const day of metDays(rule, first, dayNumber(first), Infinity)) {
    any = day;
    if (day > last) break;
    met = day;
    if (!left.has(day)) kept = day;
  }
  const dateOf = (day: number) => (day < 0 ? null : dateOfDay(day));
  return any < 0 ? null : { met: dateOf(met), kept: dateOf(kept) };
};
