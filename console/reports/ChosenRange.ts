/** The days of a report: those of the address, else the last 30, and the period before them. */
import { addDays, today } from "../parts/DisplayFormats.ts";
import { parameter, setParameters } from "../routing/Router.ts";

const defaultDays = 30;

/** The ranges that one press chooses, in days; today is the last of them. */
export const presetDays = [7, 30, 90, 365] as const;

/** Whole days, both included, as YYYY-MM-DD. */
export interface DayRange {
  readonly start: string;
  readonly end: string;
}

/** The range of a report, as it is asked for. */
export interface ChosenRange extends DayRange {
  /** The number of days; null if an end of the range is no day, about which the API says what is wrong. */
  readonly days: number | null;
  /** The days to compare with; null without a comparison. */
  readonly before: DayRange | null;
}

const isDay = (text: string): boolean =>
  /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(`${text}T12:00:00Z`));

const dayCount = ({ end, start }: DayRange): number =>
  Math.round((Date.parse(`${end}T12:00:00Z`) - Date.parse(`${start}T12:00:00Z`)) / 86_400_000) + 1;

/**
 * The period before: as many days, moved back by whole weeks, so that every day is compared with the same day
 * of the week. Of 30 days it is the 30 days that began 35 days earlier.
 */
const periodBefore = ({ end, start }: DayRange): DayRange => {
  const shift = -7 * Math.ceil(dayCount({ start, end }) / 7);
  return { start: addDays(start, shift), end: addDays(end, shift) };
};

/** The range of a preset. */
export const presetRange = (days: number, timezone: string): DayRange => {
  const end = today(timezone);
  return { start: addDays(end, 1 - days), end };
};

/** The last 30 days, compared. */
export const lastDays = (timezone: string): ChosenRange => {
  const range = presetRange(defaultDays, timezone);
  return { ...range, days: defaultDays, before: periodBefore(range) };
};

/** Whether the figures are compared with the period before. */
export const isCompared = (): boolean => parameter("compare") !== "none";

/** Turns the comparison on or off. */
export const setCompared = (isOn: boolean): void => setParameters({ compare: isOn ? undefined : "none" });

/** The range of the address. */
export const chosenRange = (timezone: string): ChosenRange => {
  const end = parameter("end") || today(timezone);
  const start = parameter("start") || (isDay(end) ? addDays(end, 1 - defaultDays) : "");
  const days = isDay(start) && isDay(end) ? dayCount({ start, end }) : null;
  const isValid = days !== null && days > 0;
  return { start, end, days, before: isValid && isCompared() ? periodBefore({ start, end }) : null };
};
