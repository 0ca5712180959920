import type { TemplateValue } from "./TemplateRun.ts";

const days = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];
const months = [
  "January",
  "February",
  "March",
  "April",
  "May",
  "June",
  "July",
  "August",
  "September",
  "October",
  "November",
  "December",
];
const dayMillis = 86_400_000;
const maxMillis = 8.64e15;

const isoDate = /^\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?\s?(Z|[+-]\d{2}:?\d{2})?)?$/i;

/**
 * The instant that a value means, in epoch milliseconds: an ISO 8601 date or instant, in UTC unless it has an
 * offset; a number of Unix seconds; or "now". Null for anything else.
 */
export const instantOf = (value: TemplateValue, now: number): number | null => {
  const text = typeof value === "string" ? value.trim() : value;
  if (text === "now" || text === "today") return now;
  if (typeof text === "number" || (typeof text === "string" && /^-?\d{1,15}$/.test(text))) {
    const millis = Number(text) * 1000;
    return Math.abs(millis) <= maxMillis ? millis : null;
  }
  const match = typeof text === "string" ? isoDate.exec(text) : null;
  if (match === null || typeof text !== "string") return null;
  const iso = text.replace(/[ t](?=\d{2}:)/, "T").replace(/\s/, "");
  const millis = Date.parse(text.length > 10 && match[1] === undefined ? `${iso}Z` : iso);
  return Number.isNaN(millis) ? null : millis;
};

type Part = readonly [text: string | number, width?: number, pad?: string];

const hourOfTwelve = (date: Date): number => date.getUTCHours() % 12 || 12;
const dayOfYear = (date: Date): number =>
  Math.floor((date.getTime() - Date.UTC(date.getUTCFullYear(), 0, 1)) / dayMillis) + 1;

const parts: { readonly [directive: string]: (date: Date) => Part } = {
  a: (date) => [days[date.getUTCDay()]?.slice(0, 3) ?? ""],
  A: (date) => [days[date.getUTCDay()] ?? ""],
  b: (date) => [months[date.getUTCMonth()]?.slice(0, 3) ?? ""],
  B: (date) => [months[date.getUTCMonth()] ?? ""],
  d: (date) => [date.getUTCDate(), 2, "0"],
  e: (date) => [date.getUTCDate(), 2, " "],
  H: (date) => [date.getUTCHours(), 2, "0"],
  I: (date) => [hourOfTwelve(date), 2, "0"],
  j: (date) => [dayOfYear(date), 3, "0"],
  k: (date) => [date.getUTCHours(), 2, " "],
  l: (date) => [hourOfTwelve(date), 2, " "],
  m: (date) => [date.getUTCMonth() + 1, 2, "0"],
  M: (date) => [date.getUTCMinutes(), 2, "0"],
  p: (date) => [date.getUTCHours() < 12 ? "AM" : "PM"],
  P: (date) => [date.getUTCHours() < 12 ? "am" : "pm"],
  s: (date) => [Math.floor(date.getTime() / 1000)],
  S: (date) => [date.getUTCSeconds(), 2, "0"],
  u: (date) => [date.getUTCDay() || 7],
  w: (date) => [date.getUTCDay()],
  y: (date) => [date.getUTCFullYear() % 100, 2, "0"],
  Y: (date) => [date.getUTCFullYear(), 4, "0"],
  z: () => ["+0000"],
  Z: () => ["UTC"],
  "%": () => ["%"],
};

const shorthands: { readonly [directive: string]: string } = {
  D: "%m/%d/%y",
  F: "%Y-%m-%d",
  R: "%H:%M",
  T: "%H:%M:%S",
};

/**
 * Formats an instant in UTC by the directives of strftime. The flag `-` leaves the padding out, `_` pads with
 * blanks, `0` with zeros, `^` writes upper case. An unknown directive is kept as it is.
 */
export const formatDate = (millis: number, format: string): string => {
  const date = new Date(millis);
  return format
    .replace(/%([DFRT])/g, (_, directive: string) => shorthands[directive] ?? "")
    .replace(/%([-_0^]?)([a-zA-Z%])/g, (_, flag: string, directive: string) => {
      const [text, width = 0, pad = " "] = parts[directive]?.(date) ?? [`%${directive}`];
      const padded =
        flag === "-" ? String(text) : String(text).padStart(width, { _: " ", "0": "0" }[flag] ?? pad);
      return flag === "^" ? padded.toUpperCase() : padded;
    });
};
