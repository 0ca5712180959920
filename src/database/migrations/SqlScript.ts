/** Splits an SQL file into its statements, because the driver runs one at a time. */

/** The statements in order, without their semicolons. Omits statements that are only comments. */
export const statementsOf = (script: string): ReadonlyArray<string> => {
  const statements: Array<string> = [];
  /** The current statement: its start, its open parentheses, and whether it has only comments. */
  let current = { start: 0, depth: 0, isEmpty: true };
  const close = (end: number): void => {
    if (!current.isEmpty) statements.push(script.slice(current.start, end).trim());
    current = { start: end + 1, depth: 0, isEmpty: true };
  };
  for (let at = 0; at < script.length; at = endOfToken(script, at)) {
    const character = script[at] ?? "";
    const isComment = script.startsWith("--", at) || script.startsWith("/*", at);
    if (character === ";" && current.depth === 0) {
      close(at);
      continue;
    }
    if (character === "(") current.depth++;
    if (character === ")") current.depth = Math.max(0, current.depth - 1);
    if (!isComment && character.trim() !== "") current.isEmpty = false;
  }
  close(script.length);
  return statements;
};

const isWord = (character: string): boolean => /[\p{L}\p{N}_$]/u.test(character);

/** The end of the token at an offset: a comment, a quoted or dollar-quoted text, a word, or one character. */
const endOfToken = (script: string, at: number): number => {
  const character = script[at] ?? "";
  if (script.startsWith("--", at)) return endAfter(script, "\n", at);
  if (script.startsWith("/*", at)) return endOfComment(script, at);
  if (character === "'" || character === '"') return endOfQuoted(script, at, false);
  if (character === "$") {
    const tag = /^\$(?:[\p{L}_][\p{L}\p{N}_]*)?\$/u.exec(script.slice(at, at + 128))?.[0];
    if (tag !== undefined) return endAfter(script, tag, at + tag.length);
  }
  if (!isWord(character)) return at + 1;
  // A dollar inside a word quotes nothing. An E before a quote makes backslashes escape.
  let end = at + 1;
  while (end < script.length && isWord(script[end] ?? "")) end++;
  const isEscaped = end === at + 1 && (character === "e" || character === "E") && script[end] === "'";
  return isEscaped ? endOfQuoted(script, end, true) : end;
};

const endAfter = (script: string, text: string, from: number): number => {
  const found = script.indexOf(text, from);
  return found === -1 ? script.length : found + text.length;
};

/** Comments nest in PostgreSQL. */
const endOfComment = (script: string, at: number): number => {
  let depth = 0;
  for (let index = at; index < script.length; index++) {
    if (script.startsWith("/*", index)) {
      depth++;
      index++;
    } else if (script.startsWith("*/", index)) {
      depth--;
      index++;
      if (depth === 0) return index + 1;
    }
  }
  return script.length;
};

/** A doubled quote is part of the text. */
const endOfQuoted = (script: string, at: number, hasBackslashes: boolean): number => {
  const quote = script[at] ?? "";
  for (let index = at + 1; index < script.length; index++) {
    if (hasBackslashes && script[index] === "\\") index++;
    else if (script[index] === quote) {
      if (script[index + 1] !== quote) return index + 1;
      index++;
    }
  }
  return script.length;
};
