/**
 * A broken rule: its file, its line (from 1), and a message that says what is wrong and what would be right.
 */
export type Finding = { readonly file: string; readonly line: number; readonly message: string };

/** A file of the repository. The path is relative to the root, with forward slashes. */
export type SourceFile = { readonly path: string; readonly text: string };

/** One finding for each line of code that matches the pattern. Comments are ignored. */
export const matchingLines = (file: SourceFile, pattern: RegExp, message: string): ReadonlyArray<Finding> =>
  codeLines(file.text).flatMap((line, index) =>
    pattern.test(line) ? [{ file: file.path, line: index + 1, message }] : [],
  );

/** The lines of a text without comments: comment lines and everything after ` //` or ` --` are blank. */
export const codeLines = (text: string): ReadonlyArray<string> =>
  text
    .split("\n")
    .map((line) => (/^\s*(\*|\/\*|\/\/|--)/.test(line) ? "" : line.replace(/\s(\/\/|--)\s.*$/, "")));
