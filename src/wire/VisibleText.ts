/**
 * Texts from outside (names, file contents, paths) for a terminal or a log. A control character in them could
 * send commands to the terminal, and a bidi control could make it show another text.
 */

/** Control characters, bidi controls, and the line separators that some terminals and editors obey. */
const hidden = /[\p{Cc}\p{Bidi_Control}\u2028\u2029]/gu;
const hiddenInLines = /(?!\r(?:\n|$))[^\P{Cc}\n\t]|[\p{Bidi_Control}\u2028\u2029]/gu;

/** All of these characters are in the Basic Multilingual Plane, so the escape is the one of JSON. */
const escape = (character: string): string =>
  `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, "0")}`;

/** One line: every control, bidi and line separator character is replaced by its escape, such as `\u001b`. */
export const visible = (text: string): string => text.replaceAll(hidden, escape);

/** Most outputs have no other characters, and this search is several times faster than the exact one. */
const otherThanAscii = /[^\n\t\x20-\x7e]/;

/**
 * The same for a whole output, in which line ends (LF or CR LF) and tabs keep their effect. JSON stays the
 * same value, because these characters can only be inside its strings.
 */
export const visibleLines = (text: string): string =>
  otherThanAscii.test(text) ? text.replaceAll(hiddenInLines, escape) : text;

/** A value with every text in it made visible, its keys included. */
export const visibleValue = <A>(value: A): A => visibleDeep(value) as A;

const visibleDeep = (value: unknown): unknown => {
  if (typeof value === "string") return visible(value);
  if (Array.isArray(value)) return value.map(visibleDeep);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [visible(key), visibleDeep(each)]));
};
