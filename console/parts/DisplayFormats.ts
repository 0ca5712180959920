/** Numbers, days and instants as people read them. Figures are never abbreviated. */
import { serverNow } from "../data/ServerTime.ts";

const numbers = new Intl.NumberFormat("en");

/** A whole number with thousands separators. */
export const formatNumber = (value: number): string => numbers.format(value);

/** A number with its noun: "1 campaign", "2,000 campaigns". */
export const formatCount = (value: number, one: string, many = `${one}s`): string =>
  `${formatNumber(value)} ${value === 1 ? one : many}`;

const dayFormat = new Intl.DateTimeFormat("en-GB", {
  day: "numeric",
  month: "short",
  year: "numeric",
  timeZone: "UTC",
});
const shortDayFormat = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", timeZone: "UTC" });

const atNoon = (day: string): Date => new Date(`${day}T12:00:00Z`);

/** A day such as 2026-11-22 as "22 Nov 2026". */
export const formatDay = (day: string): string => dayFormat.format(atNoon(day));
/** A day as "22 Nov". */
export const formatShortDay = (day: string): string => shortDayFormat.format(atNoon(day));

/** A day and a time of it, as forms have them, as "22 Nov 2026, 14:05". A time alone stays. */
export const formatWallTime = (text: string): string => {
  const [, day, time] = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d))?/.exec(text) ?? [];
  if (day === undefined) return text;
  return time === undefined ? formatDay(day) : `${formatDay(day)}, ${time}`;
};

/** An instant in a zone as "22 Nov 2026, 14:05 CET": every time says in which zone it is. */
export const formatInstant = (instant: string, timeZone: string): string =>
  new Intl.DateTimeFormat("en-GB", {
    day: "numeric",
    month: "short",
    year: "numeric",
    hour: "2-digit",
    minute: "2-digit",
    hourCycle: "h23",
    timeZone,
    timeZoneName: "short",
  }).format(new Date(instant));

/** The time of day of an instant in a zone, as "14:05". */
export const formatTime = (instant: number, timeZone?: string): string =>
  new Intl.DateTimeFormat("en-GB", {
    hour: "2-digit",
    minute: "2-digit",
    hourCycle: "h23",
    ...(timeZone === undefined ? {} : { timeZone }),
  }).format(instant);

/** The current day in a zone, as YYYY-MM-DD. */
export const today = (timeZone: string): string => dayOf(serverNow(), timeZone);

/** The day of an instant in a zone, as YYYY-MM-DD. */
export const dayOf = (instant: number, timeZone: string): string =>
  new Intl.DateTimeFormat("en-CA", { year: "numeric", month: "2-digit", day: "2-digit", timeZone }).format(
    instant,
  );

/** A day some days later, or earlier for a negative number. */
export const addDays = (day: string, days: number): string => {
  const date = atNoon(day);
  date.setUTCDate(date.getUTCDate() + days);
  return date.toISOString().slice(0, 10);
};

/** The first and the last of some days, as "1 Nov 2026 to 30 Nov 2026". */
export const formatRange = ({ end, start }: { readonly start: string; readonly end: string }): string =>
  `${formatDay(start)} to ${formatDay(end)}`;

/** A share to one decimal, such as "12.3 %", in one piece. */
export const formatPercent = (percent: number): string =>
  `${formatNumber(Math.round(percent * 10) / 10)}\u00a0%`;

/** The change from one figure to another in whole percent, such as "+12 %"; null without a base. */
export const formatChange = (from: number, to: number): string | null => {
  if (from === 0 && to !== 0) return null;
  const percent = from === 0 ? 0 : Math.round(((to - from) / from) * 100);
  return `${percent === 0 ? "±" : percent > 0 ? "+" : "−"}${formatPercent(Math.abs(percent))}`;
};
