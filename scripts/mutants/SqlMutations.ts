import type { Mutation } from "./Mutation.ts";
import type { Token } from "./Tokens.ts";

const swapped: Readonly<Record<string, string>> = {
  AND: "OR",
  OR: "AND",
  "<": "<=",
  "<=": "<",
  ">": ">=",
  ">=": ">",
  "=": "<>",
  "<>": "=",
};

/** Locks of rows and what they wait for, bounds of a result, words, comparisons and numbers. */
const parts = new RegExp(
  [
    /FOR (?:NO KEY )?UPDATE(?: OF \w+)?(?: SKIP LOCKED)?/,
    /LIMIT(?: \d+|\s*$)/,
    /\b(?:SET|WHERE|FROM|RETURNING|AND|OR)\b/,
    /->>|->|<>|<=|>=|=>|[<>=]/,
    /(?<![\w.$])\d+(?![\w.])/,
  ]
    .map(({ source }) => source)
    .join("|"),
  "g",
);

/** A text of SQL, in which quoted values are blank. */
const unquoted = (text: string): string => text.replaceAll(/'[^']*'/g, (quoted) => " ".repeat(quoted.length));

const mutationOf = (part: string, start: number, isAssignment: boolean): ReadonlyArray<Mutation> => {
  const end = start + part.length;
  if (part.startsWith("FOR ")) return [{ start, end, replacement: "", operator: `SQL: remove ${part}` }];
  if (/^LIMIT \d/.test(part)) return [{ start, end, replacement: "", operator: `SQL: remove ${part}` }];
  if (part.startsWith("LIMIT"))
    return [{ start, end, replacement: "LIMIT 1 + ", operator: "SQL: LIMIT one more" }];
  if (/^\d/.test(part)) {
    return [1, -1].map((by) => {
      const changed = Number(part) + by;
      return { start, end, replacement: String(changed), operator: `SQL: ${part} → ${changed}` };
    });
  }
  const other = swapped[part];
  if (other === undefined || (part === "=" && isAssignment)) return [];
  return [{ start, end, replacement: other, operator: `SQL: ${part} → ${other}` }];
};

/** The mutations of the SQL templates of a source file. */
export const sqlMutations = (source: string, tokens: ReadonlyArray<Token>): ReadonlyArray<Mutation> => {
  /** By template, whether the last keyword was SET: its equal signs assign. */
  const assigning = new Map<number, boolean>();
  return tokens.flatMap(({ kind, start, template = -1, text }) => {
    if (kind !== "sql") return [];
    const plain = unquoted(text);
    return [...plain.matchAll(parts)].flatMap((match) => {
      const [part] = match;
      const before = plain.slice(0, match.index);
      if (/^(?:SET|WHERE|FROM|RETURNING)$/.test(part)) assigning.set(template, part === "SET");
      // The AND of a range is none.
      if (part === "AND" && /BETWEEN(?:(?!\bAND\b)[\s\S])*$/.test(before)) return [];
      if (part.startsWith("LIMIT") && part.trimEnd() === "LIMIT" && source[start + text.length] !== "$")
        return [];
      return mutationOf(part, start + match.index, assigning.get(template) === true);
    });
  });
};
