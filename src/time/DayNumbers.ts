/** Arithmetic on days without a time zone. It imports no library, so that the console can use it, too. */
import type { Brand } from "effect";

/** The type of a `LocalDate` of `LocalTime.ts`, which has its schema. */
type LocalDate = string & Brand.Brand<"LocalDate">;

/** Milliseconds in a day without a clock change. */
export const DAY_MS = 86_400_000;

/** The number of a date, from 0 for 1970-01-01. */
export const dayNumber = (date: string): number =>
  Date.UTC(Number(date.slice(0, 4)), Number(date.slice(5, 7)) - 1, Number(date.slice(8, 10))) / DAY_MS;

/** The date of a number that `dayNumber` gives. */
export const dateOfDay = (day: number): LocalDate =>
  new Date(day * DAY_MS).toISOString().slice(0, 10) as LocalDate;

/** The date so many days later; earlier if negative. */
export const addDays = (date: LocalDate, days: number): LocalDate => dateOfDay(dayNumber(date) + days);

/** Whether a text is a real calendar day `YYYY-MM-DD` of the years 1970 to 9999. */
export const isDate = (text: string): boolean =>
  /^\d{4}-\d{2}-\d{2}$/.test(text) && text >= "1970" && dateOfDay(dayNumber(text)) === text;
