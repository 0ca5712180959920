/** Splits an SQL file into its statements, because the driver runs one at a time. */

/**
 * A token: a line comment, the start of a comment, a quoted text, the start of a dollar-quoted text, a word,
 * or one character. Backslashes escape only in texts after E. A dollar inside a word quotes nothing.
 */
const tokenPattern = new RegExp(
  [
    String.raw`--.*\n?|\/\*`,
    String.raw`[eE]'(?:\\[^]|''|[^'\\])*'?|'(?:''|[^'])*'?|"(?:""|[^"])*"?`,
    String.raw`(?<dollarQuote>\$(?:[\p{L}_][\p{L}\p{N}_]*)?\$)`,
    String.raw`[\p{L}\p{N}_$]+|[^]`,
  ].join("|"),
  "uy",
);

/** The statements in order, without their semicolons. Omits statements that are only comments. */
export const statementsOf = (script: string): ReadonlyArray<string> => {
  const statements: Array<string> = [];
  /** The current statement: its start, its open parentheses, and whether it has only comments. */
  let current = { start: 0, depth: 0, isEmpty: true };
  const close = (end: number): void => {
    if (!current.isEmpty) statements.push(script.slice(current.start, end).trim());
    current = { start: end + 1, depth: 0, isEmpty: true };
  };
  for (let at = 0; at < script.length;) {
    tokenPattern.lastIndex = at;
    const match = tokenPattern.exec(script);
    const text = match?.[0] ?? "";
    if (text === ";" && current.depth === 0) close(at);
    else {
      if (text === "(") current.depth++;
      if (text === ")") current.depth = Math.max(0, current.depth - 1);
      if (!/^(--|\/\*|\s)/.test(text)) current.isEmpty = false;
    }
    at += text.length;
    if (text === "/*") at = endOfComment(script, at);
    const quote = match?.groups?.["dollarQuote"];
    if (quote !== undefined) at = endAfter(script, quote, at);
  }
  close(script.length);
  return statements;
};

const endAfter = (script: string, text: string, from: number): number => {
  const found = script.indexOf(text, from);
  return found === -1 ? script.length : found + text.length;
};

/** The end of a comment that starts before `from`. Comments nest in PostgreSQL. */
const endOfComment = (script: string, from: number): number => {
  let depth = 1;
  for (const { 0: mark, index } of script.slice(from).matchAll(/\/\*|\*\//g)) {
    depth += mark === "/*" ? 1 : -1;
    if (depth === 0) return from + index + 2;
  }
  return script.length;
};
