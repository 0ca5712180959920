/**
 * Recurrence rules of RFC 5545 over local days (contract V1): the text of a rule, read part by part.
 * `RecurrenceDays.ts` has the days that a rule meets.
 */
import { isDate } from "./DayNumbers.ts";
import type { LocalDate } from "./LocalTime.ts";

const frequencies = ["DAILY", "WEEKLY", "MONTHLY", "YEARLY"] as const;
/** The days of a week by their number, Monday first. */
const weekdayNames = ["MO", "TU", "WE", "TH", "FR", "SA", "SU"];
const partNames = [
  "FREQ",
  "INTERVAL",
  "BYDAY",
  "BYMONTHDAY",
  "BYMONTH",
  "BYSETPOS",
  "WKST",
  "COUNT",
  "UNTIL",
] as const;
type PartName = (typeof partNames)[number];

/** The days of the longest period. */
const longest = { DAILY: 1, WEEKLY: 7, MONTHLY: 31, YEARLY: 366 };

/** Bounds of the numbers of a rule. */
const maxima = { interval: 366, count: 1000, ordinal: 53, monthDay: 31, month: 12, position: 366 };
/** The most characters of a rule, far above the length of a rule that names each possible value once. */
export const maxRuleLength = 10_000;

/** A weekday from 0 (Monday), each one of the period or only the nth; counted from its end if negative. */
export interface RuleWeekday {
  readonly weekday: number;
  readonly ordinal: number | null;
}

/** A recurrence rule. Its lists are empty where the rule lacks the part. */
export interface RecurrenceRule {
  readonly frequency: (typeof frequencies)[number];
  readonly interval: number;
  readonly weekdays: ReadonlyArray<RuleWeekday>;
  readonly monthDays: ReadonlyArray<number>;
  readonly months: ReadonlyArray<number>;
  readonly positions: ReadonlyArray<number>;
  readonly weekStart: number;
  readonly count: number | null;
  readonly until: LocalDate | null;
}

/** The problem of a part of a rule, as a sentence that names the part. */
class WrongPart extends Error {
  constructor(part: string, rest: string) {
    super(`The recurrence rule is wrong at ${part}: ${rest}`);
  }
}

const isOneOf =
  <Name extends string>(names: ReadonlyArray<Name>) =>
  (text: string | undefined): text is Name =>
    (names as ReadonlyArray<string | undefined>).includes(text);
const isFrequency = isOneOf(frequencies);
const isPartName = isOneOf(partNames);

/** The parts of a rule by name. @throws WrongPart */
const partsOf = (text: string): ReadonlyMap<PartName, string> => {
  const parts = new Map<PartName, string>();
  for (const part of text.split(";")) {
    const [name = "", value, ...rest] = part.split("=");
    if (!isPartName(name))
      throw new WrongPart(
        JSON.stringify(part.slice(0, 40)),
        `a rule has the parts ${partNames.join(", ")} in upper case, as NAME=VALUE, with ; between them.`,
      );
    if (value === undefined || value === "" || rest.length > 0)
      throw new WrongPart(name, `write it as ${name}=VALUE.`);
    if (parts.has(name)) throw new WrongPart(name, "write each part once.");
    parts.set(name, value);
  }
  return parts;
};

/** A whole number from 1 to `max`, or also from -1 to -max. @throws WrongPart */
const wholeNumber = (part: PartName, text: string, max: number, isSigned = false): number => {
  const number = (isSigned ? /^[+-]?\d{1,4}$/ : /^\d{1,4}$/).test(text) ? Number(text) : 0;
  if (number === 0 || Math.abs(number) > max) {
    const range = isSigned ? `from 1 to ${max}, or from -1 to -${max}` : `from 1 to ${max}`;
    throw new WrongPart(part, `${JSON.stringify(text.slice(0, 40))} must be a whole number ${range}.`);
  }
  return number;
};

const weekdayOf = (part: PartName, text: string): number => {
  const weekday = weekdayNames.indexOf(text);
  if (weekday === -1)
    throw new WrongPart(
      part,
      `${JSON.stringify(text.slice(0, 40))} must be a weekday: ${weekdayNames.join(", ")}.`,
    );
  return weekday;
};

const untilOf = (text: string): LocalDate => {
  const date = text.replace(/^(\d{4})(\d{2})(\d{2})$/, "$1-$2-$3");
  if (text.length !== 8 || !isDate(date))
    throw new WrongPart("UNTIL", "it must be an existing date from 1970 to 9999, written YYYYMMDD.");
  return date as LocalDate;
};

/** @throws WrongPart */
const read = (text: string): RecurrenceRule => {
  const parts = partsOf(text);
  const list = <A>(part: PartName, entry: (text: string) => A): ReadonlyArray<A> =>
    parts.get(part)?.split(",").map(entry) ?? [];
  const numbers = (part: PartName, max: number, isSigned: boolean) => [
    ...new Set(list(part, (entry) => wholeNumber(part, entry, max, isSigned))),
  ];
  const number = (part: PartName, max: number) => {
    const value = parts.get(part);
    return value === undefined ? null : wholeNumber(part, value, max);
  };

  const frequency = parts.get("FREQ");
  if (!isFrequency(frequency)) throw new WrongPart("FREQ", `it must be ${frequencies.join(", ")}.`);
  const weekdays = list("BYDAY", (entry): RuleWeekday => {
    const ordinal = entry.slice(0, -2);
    const weekday = weekdayOf("BYDAY", entry.slice(-2));
    if (ordinal === "") return { weekday, ordinal: null };
    if (frequency === "DAILY" || frequency === "WEEKLY")
      throw new WrongPart("BYDAY", `${entry} has a number, which only MONTHLY and YEARLY rules take.`);
    return { weekday, ordinal: wholeNumber("BYDAY", ordinal, maxima.ordinal, true) };
  });
  const monthDays = numbers("BYMONTHDAY", maxima.monthDay, true);
  if (frequency === "WEEKLY" && monthDays.length > 0)
    throw new WrongPart("BYMONTHDAY", "a WEEKLY rule does not take it.");
  const months = numbers("BYMONTH", maxima.month, false);
  const written = numbers("BYSETPOS", maxima.position, true);
  if (written.length > 0 && weekdays.length + monthDays.length + months.length === 0)
    throw new WrongPart("BYSETPOS", "it needs BYDAY, BYMONTHDAY or BYMONTH, of whose days it picks some.");
  const most = longest[frequency];
  const positions = written.filter((position) => Math.abs(position) <= most);
  if (written.length > 0 && positions.length === 0)
    throw new WrongPart(
      "BYSETPOS",
      `no ${frequency} period has so many days. Write a position from 1 to ${most}, or from -1 to -${most}.`,
    );
  const count = number("COUNT", maxima.count);
  const until = parts.get("UNTIL");
  if (count !== null && until !== undefined)
    throw new WrongPart("UNTIL", "a rule has either COUNT or UNTIL.");
  return {
    frequency,
    interval: number("INTERVAL", maxima.interval) ?? 1,
    weekdays,
    monthDays,
    months,
    positions,
    weekStart: weekdayOf("WKST", parts.get("WKST") ?? "MO"),
    count,
    until: until === undefined ? null : untilOf(until),
  };
};

/** Reads a rule, or returns what is wrong with it as a sentence that names the part. */
export const parseRule = (text: string): RecurrenceRule | string => {
  try {
    return read(text);
  } catch (wrong) {
    if (wrong instanceof WrongPart) return wrong.message;
    throw wrong;
  }
};
