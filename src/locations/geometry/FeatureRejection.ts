/** Rejects a feature for a reason: a full sentence that also says what would be right. */
export type Reject = (reason: string) => undefined;

/** Stands for coordinates that have too many values to be kept. */
export const tooManyValues: unique symbol = Symbol("too many values");

/** A JSON value in a few words: strings are cut after 40 characters, control characters replaced. */
export const describeValue = (value: unknown): string => {
  if (typeof value === "string") {
    const start = value
      .slice(0, 40)
      .toWellFormed()
      .replaceAll(/\p{Cc}/gu, "\uFFFD");
    return value.length > 40 ? `"${start}…"` : `"${start}"`;
  }
  if (typeof value === "number") {
    return Number.isFinite(value) ? String(value) : "a number too large to be read";
  }
  if (typeof value === "boolean" || value === null) return String(value);
  if (value === undefined) return "none";
  return Array.isArray(value) ? "an array" : "an object";
};
