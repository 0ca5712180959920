/** Values as texts for people. */

/** A whole number, with separators of thousands. */
export const formatCount = (value: number): string => value.toLocaleString("en-US");

/** An instant to the minute, or a dash for none. */
export const formatInstant = (instant: string | null): string =>
  instant === null ? "-" : `${instant.slice(0, 16).replace("T", " ")} UTC`;

/** A boolean. */
export const yesNo = (value: boolean): string => (value ? "yes" : "no");

/** A limit of deliveries a minute. */
export const paceText = (maxPerMinute: number | null): string =>
  maxPerMinute === null ? "no limit" : `${maxPerMinute} a minute`;
