import { Brand, Schema, SchemaTransformation } from "effect";
import { DAY_MS, dateOfDay, dayNumber, isDate } from "./DayNumbers.ts";
import { offsetAt, type TimeZoneName } from "./TimeZone.ts";

// Instants are epoch milliseconds. A local day begins at its first instant and ends one second before the
// next day begins (contract E1). Clock changes follow RFC 5545: a time in a gap moves forward by the gap, and
// a time in a fold means the earlier instant. SQL gets instants from here and never uses AT TIME ZONE:
// PostgreSQL has a tz database of its own, and the embedded one differs from the runtime's in nine zones.

const MINUTE_MS = 60_000;
// Timestamps have four-digit years, also for a zone west of UTC on 9999-12-31.
const LAST_INSTANT = Date.UTC(9999, 11, 31, 23, 59, 59);

const isTimeOfDay = (text: string): boolean => /^([01]\d|2[0-3]):[0-5]\d$/.test(text);

const isWallTime = (text: string): boolean =>
  isDate(text.slice(0, 10)) && (text.length === 10 || (text[10] === " " && isTimeOfDay(text.slice(11))));

/** A real calendar day `YYYY-MM-DD` of the years 1970 to 9999. */
export const LocalDate = Schema.String.annotate({
  description: "A date, YYYY-MM-DD.",
  examples: ["2026-11-21"],
}).pipe(
  Schema.decodeTo(
    Schema.String.check(
      Schema.makeFilter(isDate, {
        message: "The {field} must be an existing date from 1970 to 9999, written YYYY-MM-DD.",
      }),
    ).pipe(Schema.brand("LocalDate")),
    SchemaTransformation.trim(),
  ),
);
export type LocalDate = typeof LocalDate.Type;

/** A time of day `HH:MM`, 00:00 to 23:59. */
export const TimeOfDay = Schema.String.annotate({
  description: "A time of day, HH:MM.",
  examples: ["09:30"],
}).pipe(
  Schema.decodeTo(
    Schema.String.check(
      Schema.makeFilter(isTimeOfDay, {
        message: "The {field} must be a time from 00:00 to 23:59, written HH:MM.",
      }),
    ).pipe(Schema.brand("TimeOfDay")),
    SchemaTransformation.trim(),
  ),
);
export type TimeOfDay = typeof TimeOfDay.Type;

/** `YYYY-MM-DD` or `YYYY-MM-DD HH:MM` in a time zone that is given separately (campaign write rule 2). */
export const WallTime = Schema.String.annotate({
  description: "A date or a date and time in the campaign's time zone, YYYY-MM-DD or YYYY-MM-DD HH:MM.",
  examples: ["2026-11-21", "2026-11-21 09:30"],
}).pipe(
  Schema.decodeTo(
    Schema.String.check(
      Schema.makeFilter(isWallTime, {
        message:
          "The {field} must be an existing date or date and time from 1970 to 9999, " +
          "written YYYY-MM-DD or YYYY-MM-DD HH:MM.",
      }),
    ).pipe(Schema.brand("WallTime")),
    SchemaTransformation.trim(),
  ),
);
export type WallTime = typeof WallTime.Type;

// For texts made here, which are valid by construction; checking them would cost more than making them.
const asDate = Brand.nominal<LocalDate>();
const asTime = Brand.nominal<TimeOfDay>();
const asWallTime = Brand.nominal<WallTime>();

const MIDNIGHT = asTime("00:00");

/** The date of a wall time, and its time of day; null for a date alone. */
export const wallParts = (wall: WallTime): { readonly date: LocalDate; readonly time: TimeOfDay | null } => ({
  date: asDate(wall.slice(0, 10)),
  time: wall.length === 10 ? null : asTime(wall.slice(11)),
});

const resolve = (zone: TimeZoneName, wallMs: number): number => {
  const before = offsetAt(zone, wallMs - DAY_MS);
  const after = offsetAt(zone, wallMs + DAY_MS);
  const earlier = wallMs - before;
  if (before === after || offsetAt(zone, earlier) === before) return earlier;
  const later = wallMs - after;
  // In a gap neither offset is valid; the one before the gap gives the instant moved forward by the gap.
  return offsetAt(zone, later) === after ? later : earlier;
};

const firstInstant = (zone: TimeZoneName, day: number): number => {
  let start = resolve(zone, day * DAY_MS);
  const hasBegun = (ms: number) => Math.floor((ms + offsetAt(zone, ms)) / DAY_MS) >= day;
  if (!hasBegun(start - 1000)) return start;
  // The gap began before midnight (Toronto, 1919), so the day begins at the end of the gap.
  let outside = start - DAY_MS;
  while (start - outside > 1000) {
    const middle = outside + Math.floor((start - outside) / 2000) * 1000;
    if (hasBegun(middle)) start = middle;
    else outside = middle;
  }
  return start;
};

/** The instant of a local date and time of day (E1: gaps move forward, folds mean the earlier instant). */
export const instantAt = (zone: TimeZoneName, date: LocalDate, time: TimeOfDay): number =>
  Math.min(
    LAST_INSTANT,
    resolve(
      zone,
      dayNumber(date) * DAY_MS + (Number(time.slice(0, 2)) * 60 + Number(time.slice(3))) * MINUTE_MS,
    ),
  );

/** The first instant of a local day; for a day that the zone skipped, that of the next day. */
export const dayStart = (zone: TimeZoneName, date: LocalDate): number => firstInstant(zone, dayNumber(date));

/** The last second of a local day: one second before the next day begins (E1). */
export const dayEnd = (zone: TimeZoneName, date: LocalDate): number =>
  Math.min(LAST_INSTANT, firstInstant(zone, dayNumber(date) + 1) - 1000);

/** The instant of a wall time as a start: a date alone is 00:00 of that day. */
export const startInstant = (zone: TimeZoneName, wall: WallTime): number => {
  const { date, time } = wallParts(wall);
  return instantAt(zone, date, time ?? MIDNIGHT);
};

/** The instant of a wall time as an end: a date alone is the last second of that day. */
export const endInstant = (zone: TimeZoneName, wall: WallTime): number => {
  const { date, time } = wallParts(wall);
  return time === null ? dayEnd(zone, date) : instantAt(zone, date, time);
};

/** The local date at an instant. */
export const dateAt = (zone: TimeZoneName, ms: number): LocalDate =>
  dateOfDay(Math.floor((ms + offsetAt(zone, ms)) / DAY_MS));

/** The local date and time at an instant, `YYYY-MM-DD HH:MM`, without seconds. */
export const wallTimeAt = (zone: TimeZoneName, ms: number): WallTime =>
  asWallTime(new Date(ms + offsetAt(zone, ms)).toISOString().slice(0, 16).replace("T", " "));

/** The number of days from the first date to the second. */
export const daysBetween = (from: LocalDate, to: LocalDate): number => dayNumber(to) - dayNumber(from);

/** The instants of whole local days, both dates included, as a half-open range. */
export const dayRange = (zone: TimeZoneName, from: LocalDate, to: LocalDate) => ({
  fromMs: firstInstant(zone, dayNumber(from)),
  toMs: firstInstant(zone, dayNumber(to) + 1),
});

/** The local days from one date to another, both included, as contiguous half-open ranges. */
export const daysOf = (zone: TimeZoneName, from: LocalDate, to: LocalDate) => {
  const days: Array<{ readonly date: LocalDate; readonly fromMs: number; readonly toMs: number }> = [];
  let fromMs = firstInstant(zone, dayNumber(from));
  for (let day = dayNumber(from); day <= dayNumber(to); day++) {
    const toMs = firstInstant(zone, day + 1);
    days.push({ date: dateOfDay(day), fromMs, toMs });
    fromMs = toMs;
  }
  return days;
};

/** The first instant of the calendar day, ISO week (from Monday) or month around an instant (contract L4). */
export const periodStart = (zone: TimeZoneName, period: "day" | "week" | "month", ms: number): number => {
  const date = dateAt(zone, ms);
  const day = dayNumber(date);
  // Day 0, 1970-01-01, was a Thursday.
  if (period === "week") return firstInstant(zone, day - ((day + 3) % 7));
  return firstInstant(zone, period === "day" ? day : dayNumber(`${date.slice(0, 8)}01`));
};

/** An instant in responses: UTC, whole seconds, `YYYY-MM-DDTHH:MM:SS+00:00` (contract A3). */
export const utcText = (ms: number): string => `${new Date(ms).toISOString().slice(0, 19)}+00:00`;
