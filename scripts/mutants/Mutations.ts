import { stripTypeScriptTypes } from "node:module";
import type { Mutation } from "./Mutation.ts";
import { sqlMutations } from "./SqlMutations.ts";
import { type Token, tokensOf } from "./Tokens.ts";

/** Operators and their replacements. Relations move their bound; equality is negated. */
const swapped: Readonly<Record<string, string>> = {
  "<": "<=",
  "<=": "<",
  ">": ">=",
  ">=": ">",
  "===": "!==",
  "!==": "===",
  "&&": "||",
  "||": "&&",
  "+": "-",
  "-": "+",
  true: "false",
  false: "true",
};

const opening = new Set(["(", "[", "{"]);
const closing = new Set([")", "]", "}"]);

/** The index of the token that closes the bracket at an index. */
const closed = (tokens: ReadonlyArray<Token>, index: number): number => {
  let depth = 0;
  for (let at = index; at < tokens.length; at++) {
    const text = tokens[at]?.kind === "mark" ? tokens[at]?.text : "";
    if (opening.has(text ?? "")) depth++;
    if (closing.has(text ?? "") && --depth === 0) return at;
  }
  return tokens.length - 1;
};

/** The index of the semicolon that ends the statement at an index; -1 if there is none. */
const ended = (tokens: ReadonlyArray<Token>, index: number): number => {
  for (let at = index; at < tokens.length; at++) {
    const token = tokens[at];
    if (token?.kind !== "mark") continue;
    if (token.text === ";") return at;
    if (opening.has(token.text)) at = closed(tokens, at);
    else if (closing.has(token.text)) return -1;
  }
  return -1;
};

const codeMutations = (source: string, tokens: ReadonlyArray<Token>): ReadonlyArray<Mutation> =>
  tokens.flatMap((token, index): ReadonlyArray<Mutation> => {
    const { end, kind, start, text } = token;
    const before = tokens[index - 1];
    const after = tokens[index + 1];
    const other = swapped[text];
    // Type parameters and signs of numbers have no space on both sides; operators have.
    const isSpaced = /\s/.test(source[start - 1] ?? "") && /\s/.test(source[end] ?? "");
    const isValue = kind === "word" && before?.text !== "." && after?.text !== ":";
    if (other !== undefined && (isValue || (kind === "mark" && isSpaced)))
      return [{ start, end, replacement: other, operator: `${text} → ${other}` }];
    if (kind === "number") {
      const value = Number(text.replaceAll("_", ""));
      if (Number.isNaN(value)) return [];
      return [value + 1, value - 1].map((changed) => {
        const replacement = changed < 0 ? `(${changed})` : String(changed);
        return { start, end, replacement, operator: `${text} → ${changed}` };
      });
    }
    if (kind === "word" && text === "if" && after?.text === "(") {
      const last = tokens[closed(tokens, index + 1)];
      if (last === undefined) return [];
      const condition = source.slice(after.end, last.start);
      return [{ start: after.start, end: last.end, replacement: `(!(${condition}))`, operator: "negate if" }];
    }
    if (kind === "word" && text === "yield" && /^(?:[;{})]|else)$/.test(before?.text ?? "")) {
      const last = tokens[ended(tokens, index)];
      if (last === undefined) return [];
      return [{ start, end: last.start, replacement: "", operator: "remove yield*" }];
    }
    const isBody = before?.text === "=>" || isGenerator(tokens, index);
    if (kind === "mark" && text === "{" && isBody)
      return [{ start: end, end, replacement: " return undefined as never;", operator: "return early" }];
    return [];
  });

/** Whether the brace at an index opens the body of a generator without a return type. */
const isGenerator = (tokens: ReadonlyArray<Token>, index: number): boolean => {
  if (tokens[index - 1]?.text !== ")") return false;
  let depth = 0;
  for (let at = index - 1; at > 1; at--) {
    const text = tokens[at]?.text;
    if (text === ")") depth++;
    if (text === "(" && --depth === 0) return tokens[at - 1]?.text === "*";
  }
  return false;
};

/** All mutations of a source file, in its order. Types are left as they are. */
export const mutationsOf = (source: string): ReadonlyArray<Mutation> => {
  const tokens = tokensOf(source);
  const values = stripTypeScriptTypes(source);
  return [...codeMutations(source, tokens), ...sqlMutations(source, tokens)]
    .filter(({ end, start }) => start === end || values.slice(start, end) === source.slice(start, end))
    .filter(({ end, operator, start }) => operator === "negate if" || !isType(values, start, end))
    .toSorted((a, b) => a.start - b.start);
};

/** Stripping replaces types by blanks. */
const isType = (values: string, start: number, end: number): boolean =>
  start !== end && values.slice(start, end).trim() === "";

/** The source after a mutation. */
export const mutated = (source: string, { end, replacement, start }: Mutation): string =>
  source.slice(0, start) + replacement + source.slice(end);

/** The line of a position, from 1. */
export const lineAt = (source: string, position: number): number =>
  source.slice(0, position).split("\n").length;
