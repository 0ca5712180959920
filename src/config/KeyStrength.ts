const minLength = 32;
const minDifferent = 8;
/** A repeated text has to be this long: 16 random characters are no shorter than a good password. */
const minPeriod = 16;

/** The rule for a key; it follows "must be" or "holds no key of". */
export const goodKey =
  "at least 32 random visible ASCII characters without spaces, such as openssl rand -hex 32 prints";

/** The length of the shortest text whose repetition is this one. */
const period = (text: string): number => `${text}${text}`.indexOf(text, 1);

/**
 * Whether a key can be as unpredictable as 32 random characters: it is long enough, not one text repeated,
 * and not made of a few characters. It has visible ASCII only, so that a client can send it as a bearer
 * token.
 */
export const isStrongKey = (key: string): boolean =>
  /^[\x21-\x7e]+$/.test(key) &&
  key.length >= minLength &&
  new Set(key).size >= minDifferent &&
  period(key) >= minPeriod;
