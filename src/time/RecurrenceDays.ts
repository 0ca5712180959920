/** The days that a recurrence rule meets, by the table of RFC 5545, section 3.3.10. */
import { addDays, dateOfDay, DAY_MS, dayNumber } from "./DayNumbers.ts";
import type { LocalDate } from "./LocalTime.ts";
import type { RecurrenceRule } from "./RecurrenceRule.ts";

/** The last date there is. */
export const lastDate = "9999-12-31" as LocalDate;

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
 * set of their period. For a rule that is rarely met it checks millions of days.
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
  const [weekday, ...others] = new Set(weekdays.map((each) => each.weekday));
  // Of a daily rule only every nth day can be met, of another one with a single weekday only every seventh.
  const isOneWeekday = frequency !== "DAILY" && weekday !== undefined && others.length === 0;
  const [step, origin] = isOneWeekday ? [7, weekday - 3] : [frequency === "DAILY" ? interval : 1, firstDay];

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
      const start = monthStart(year, month);
      end = monthStart(year, month + 1);
      if (months.length > 0 && inMonths[(month % 12) + 1] === 0) continue;
      const [unitStart, unitEnd] =
        isOfYear && numbered.length > 0
          ? [monthStart(year, month - (month % 12)), monthStart(year, month - (month % 12) + 12)]
          : [start, end];
      const last = Math.min(end, to);
      for (let each = day + ((((origin - day) % step) + step) % step); each < last; each += step) {
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

/** The days of a period at the positions of BYSETPOS, which counts from its end if it is negative. */
const picked = (days: ReadonlyArray<number>, positions: ReadonlyArray<number>): ReadonlyArray<number> => {
  if (positions.length === 0) return days;
  const indexes = new Set(
    positions.map((position) => (position > 0 ? position - 1 : days.length + position)),
  );
  return [...indexes].toSorted((one, other) => one - other).flatMap((index) => days[index] ?? []);
};

/**
 * A rule with periods for the same days that are enumerated faster: every day, and all days of every month,
 * are checked by years. Null if no day is met, as each day is the first and the last one of its period.
 */
const enumerable = (rule: RecurrenceRule): RecurrenceRule | null => {
  const { frequency, interval, positions } = rule;
  const isDaily = frequency === "DAILY";
  if (isDaily && positions.length > 0 && !positions.some((position) => Math.abs(position) === 1)) return null;
  return isDaily || (frequency === "MONTHLY" && interval === 1 && positions.length === 0)
    ? { ...rule, frequency: "YEARLY", interval: 1, positions: [] }
    : rule;
};

function* metDays(rule: RecurrenceRule, first: number, from: number, to: number): Generator<number> {
  const periods = enumerable(rule);
  if (periods === null) return;
  const { count, until } = rule;
  const { interval, positions } = periods;
  const end = Math.min(to, until === null ? Infinity : dayNumber(until));
  const inSet = daysInSet(completed(rule, first), first);
  const { indexOf, start } = periodsOf(periods, first);
  // COUNT counts all days, so those before `from` too.
  const begin = count === null ? Math.max(first, from) : first;
  let met = 0;
  for (let index = Math.floor(indexOf(begin) / interval) * interval; start(index) <= end; index += interval) {
    for (const day of picked(inSet(start(index), start(index + 1)), positions)) {
      if (day < first) continue;
      if (day > end || met === count) return;
      met++;
      if (day >= from) yield day;
    }
    if (met === count) return;
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
  const last = to < lastDate ? to : lastDate;
  for (const day of metDays(rule, dayNumber(first), dayNumber(from), dayNumber(last))) yield dateOfDay(day);
}

/** The date a hundred years later, at most the last one. */
export const hundredYearsAfter = (date: LocalDate): LocalDate =>
  date >= "9900" ? lastDate : (`${Number(date.slice(0, 4)) + 100}${date.slice(4)}` as LocalDate);

/**
 * The last day that a rule meets until a date, `except` left out; null for none. It is found from the end,
 * unless COUNT says which days are met.
 */
export const lastRuleDay = (
  rule: RecurrenceRule,
  first: LocalDate,
  to: LocalDate,
  except: ReadonlySet<LocalDate>,
): LocalDate | null => {
  const last = rule.until !== null && rule.until < to ? rule.until : to;
  for (let days = rule.count === null ? 512 : Infinity; ; days *= 16) {
    const isAll = days > dayNumber(last) - dayNumber(first);
    let found: LocalDate | null = null;
    for (const date of ruleDays(rule, first, isAll ? first : addDays(last, -days), last))
      if (!except.has(date)) found = date;
    if (found !== null || isAll) return found;
  }
};
