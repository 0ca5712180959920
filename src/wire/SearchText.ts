/** The search for a part of a name (contract R1): by Unicode case folding, taken literally. */
import { Schema } from "effect";
import { codePoints } from "./CodePoints.ts";
import { unstorable } from "./Text.ts";

const maxLength = 255;
/** Stands for ı, which folds to itself: its capital is that of i. */
const dotless = "\u{E131}";

/** The text with its letter case folded, as the SQL function `search_text` does. */
export const foldCase = (text: string): string =>
  text
    .replaceAll("ı", dotless)
    .toLowerCase()
    .toUpperCase()
    .toLowerCase()
    .replaceAll("ς", "σ")
    .replaceAll(dotless, "ı");

/**
 * The pattern of `LIKE` for folded texts that contain this one; null for a blank text, which searches
 * nothing.
 */
export const searchPattern = (text: string | undefined): string | null => {
  const trimmed = text?.trim() ?? "";
  return trimmed === "" ? null : `%${foldCase(trimmed).replaceAll(/[\\%_]/g, String.raw`\$&`)}%`;
};

/** Whether a text contains what a pattern of `searchPattern` searches for. */
export const isFound = (pattern: string, text: string): boolean =>
  foldCase(text).includes(pattern.slice(1, -1).replaceAll(/\\([\\%_])/g, "$1"));

/** A query parameter that selects by an exact text, of at most 255 characters; blank is none. */
export const exactParameter = (description: string, example: string) =>
  Schema.optionalKey(
    Schema.String.annotate({ description, examples: [example] }).check(
      Schema.makeFilter(
        (text: string) => {
          const reason = unstorable(text);
          if (reason !== null) return reason;
          return codePoints(text.trim()) <= maxLength || "The {field} must have at most 255 characters.";
        },
        { toJsonSchema: () => ({ maxLength }) },
      ),
    ),
  );

/** The query parameter `q` of a list: a part of the name. */
export const searchParameter = (example: string) =>
  exactParameter("Only those whose name has this part, in any letter case.", example);

/** The value of a parameter that selects by an exact text; null for none. */
export const exactText = (text: string | undefined): string | null => {
  const trimmed = text?.trim() ?? "";
  return trimmed === "" ? null : trimmed;
};
