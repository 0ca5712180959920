/** One broken rule at one place: what is wrong, and what would be right. `line` counts from 1. */
export type Finding = { readonly file: string; readonly line: number; readonly message: string };

/** A file of the repository, its path relative to the root with forward slashes. */
export type SourceFile = { readonly path: string; readonly text: string };

/** Every line of code that matches, comments left out, each as a finding with the given message. */
export const matchingLines = (file: SourceFile, pattern: RegExp, message: string): ReadonlyArray<Finding> =>
  codeLines(file.text).flatMap((line, at) =>
    pattern.test(line) ? [{ file: file.path, line: at + 1, message }] : [],
  );

/** The lines of a text with its comments blanked: whole-line comments and what follows ` //` or ` --`. */
export const codeLines = (text: string): ReadonlyArray<string> =>
  text
    .split("\n")
    .map((line) => (/^\s*(\*|\/\*|\/\/|--)/.test(line) ? "" : line.replace(/\s(\/\/|--)\s.*$/, "")));
