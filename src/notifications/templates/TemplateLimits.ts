/**
 * How much of a template is parsed (contract O1.11). Both counts come before parsing, on every path: a text
 * that an older version stored may pass them.
 */

/** The most tags and outputs of one text. `liquidjs` takes a time that grows with their square. */
export const maxTags = 1_000;
/** The most of all texts of a notification, in all languages. */
export const maxTagsTogether = 5_000;
/** The most characters of all texts of a notification with a template, in all languages. */
export const maxCharactersTogether = 250_000;
/**
 * The most values, operators and other symbols within the tags of one text: one tag can have thousands. Names
 * of filters do not count, because a text has no room for so many that they take long.
 */
const maxParts = 25_000;

const count = (number: number): string => number.toLocaleString("en");

const together = (max: number, what: string): string =>
  `The texts of a template may have at most ${count(max)} ${what} in all languages together.`;

/** The sentences about texts that pass the limits, as reasons of a problem. */
export const tooMuch = {
  tags: `a text may have at most ${count(maxTags)} tags`,
  parts: `the tags of a text may have at most ${count(maxParts)} values and symbols together`,
  tagsTogether: together(maxTagsTogether, "tags"),
  charactersTogether: together(maxCharactersTogether, "characters"),
} as const;

/** The number of tags and outputs that a text begins, those in comments and raw text included. */
export const countTags = (text: string): number => {
  let tags = 0;
  for (let at = text.indexOf("{"); at !== -1; at = text.indexOf("{", at)) {
    const next = text[at + 1];
    const isTag = next === "{" || next === "%";
    if (isTag) tags++;
    at += isTag ? 2 : 1;
  }
  return tags;
};

/** A filter with its name, a text in quotes, a word, or a symbol. */
const part = /\|\s*\w+|'[^']*'|"[^"]*"|\w+|[=!<>]=|[^\s\w]/g;

/** Whether the tags of a text have more values and symbols than it may have. */
export const hasTooManyParts = (tags: Iterable<string>): boolean => {
  let parts = 0;
  for (const tag of tags) for (const [found] of tag.matchAll(part)) if (!found.startsWith("|")) parts++;
  return parts > maxParts;
};
