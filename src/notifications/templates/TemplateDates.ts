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

const part = (
  directive: string,
  date: Date,
): readonly [text: string | number, width?: number, pad?: string] => {
  const hours = date.getUTCHours();
  const year = date.getUTCFullYear();
  switch (directive) {
    case "a":
      return [days[date.getUTCDay()]?.slice(0, 3) ?? ""];
    case "A":
      return [days[date.getUTCDay()] ?? ""];
    case "b":
      return [months[date.getUTCMonth()]?.slice(0, 3) ?? ""];
    case "B":
      return [months[date.getUTCMonth()] ?? ""];
    case "d":
      return [date.getUTCDate(), 2, "0"];
    case "e":
      return [date.getUTCDate(), 2, " "];
    case "H":
      return [hours, 2, "0"];
    case "I":
      return [hours % 12 === 0 ? 12 : hours % 12, 2, "0"];
    case "j":
      return [Math.floor((date.getTime() - Date.UTC(year, 0, 1)) / dayMillis) + 1, 3, "0"];
    case "k":
      return [hours, 2, " "];
    case "l":
      return [hours % 12 === 0 ? 12 : hours % 12, 2, " "];
    case "m":
      return [date.getUTCMonth() + 1, 2, "0"];
    case "M":
      return [date.getUTCMinutes(), 2, "0"];
    case "p":
      return [hours < 12 ? "AM" : "PM"];
    case "P":
      return [hours < 12 ? "am" : "pm"];
    case "s":
      return [Math.floor(date.getTime() / 1000)];
    case "S":
      return [date.getUTCSeconds(), 2, "0"];
    case "u":
      return [date.getUTCDay() === 0 ? 7 : date.getUTCDay()];
    case "w":
      return [date.getUTCDay()];
    case "y":
      return [year % 100, 2, "0"];
    case "Y":
      return [year, 4, "0"];
    case "z":
      return ["+0000"];
    case "Z":
      return ["UTC"];
    case "%":
      return ["%"];
    default:
      return [`%${directive}`];
  }
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
      const [text, width = 0, pad = " "] = part(directive, date);
      const padded =
        flag === "-" ? String(text) : String(text).padStart(width, { _: " ", "0": "0" }[flag] ?? pad);
      return flag === "^" ? padded.toUpperCase() : padded;
    });
};
