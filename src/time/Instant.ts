import { Schema, SchemaTransformation } from "effect";

const date = String.raw`(\d{4})-(\d{2})-(\d{2})`;
const time = String.raw`(\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?`;
const offset = String.raw`(?:[Zz]|([+\- ])(\d{2})(?::?(\d{2}))?)`;
const shape = new RegExp(`^${date}(?:[Tt ]${time}${offset}?)?$`);

/** The last result: a schema parses a text twice, to check it and to decode it. */
let last: { readonly text: string; readonly millis: number | null } = { text: "", millis: null };

/**
 * Epoch milliseconds of an ISO 8601 date-time, which is UTC without an offset, or of a date (00:00 UTC). Null
 * for anything else, including impossible dates. A blank before the offset is a `+` that was not encoded in a
 * query string.
 */
export const parseInstant = (text: string): number | null => {
  if (text !== last.text) last = { text, millis: parse(text) };
  return last.millis;
};

const parse = (text: string): number | null => {
  const match = shape.exec(text.trim());
  if (match === null) return null;
  const [
    ,
    year,
    month,
    day,
    hour = "0",
    minute = "0",
    second = "0",
    fraction = "",
    sign,
    offsetHour,
    offsetMinute,
  ] = match;
  if (Number(hour) > 23 || Number(minute) > 59 || Number(second) > 59) return null;
  // Date.UTC reads the years 0 to 99 as 1900 to 1999.
  const local = new Date(0);
  local.setUTCFullYear(Number(year), Number(month) - 1, Number(day));
  if (Number(year) < 1 || local.getUTCMonth() !== Number(month) - 1 || local.getUTCDate() !== Number(day))
    return null;
  local.setUTCHours(
    Number(hour),
    Number(minute),
    Number(second),
    Number(fraction.slice(0, 3).padEnd(3, "0")),
  );
  if (Number(offsetHour ?? 0) > 23 || Number(offsetMinute ?? 0) > 59) return null;
  const offsetMillis =
    (Number(offsetHour ?? 0) * 60 + Number(offsetMinute ?? 0)) * 60_000 * (sign === "-" ? -1 : 1);
  return local.getTime() - offsetMillis;
};

/** An instant as clients write it, decoded to epoch milliseconds (contract D3). */
export const Instant = Schema.String.annotate({
  description: "An ISO 8601 date-time with offset or Z, or a date; without an offset it is UTC.",
  examples: ["2026-11-21T09:30:00+01:00"],
  format: "date-time",
})
  .check(
    Schema.makeFilter((text: string) => parseInstant(text) !== null, {
      message: "The {field} must be a date-time such as 2026-11-21T09:30:00Z, or a date such as 2026-11-21.",
    }),
  )
  .pipe(
    Schema.decodeTo(
      Schema.Number,
      SchemaTransformation.transform({
        decode: (text: string) => parseInstant(text) ?? Number.NaN,
        encode: (millis: number) => new Date(millis).toISOString(),
      }),
    ),
  );

/** An instant of a request, with its description for the documentation. */
export const describedInstant = (description: string) =>
  Schema.String.annotate({ description, examples: ["2026-11-21T09:30:00Z"], format: "date-time" }).pipe(
    Schema.decodeTo(Instant),
  );
