/** Finds statements in source files, and which of them a text is. */
import { parseSync } from "@swc/core";
import { readFileSync } from "node:fs";

/** A statement ``sql`…` `` or ``sql<Row>`…` `` in a file. */
export interface SourceStatement {
  readonly file: string;
  readonly line: number;
  /** The offsets of `Row` in the file; null if it declares none, or a type parameter. */
  readonly row: readonly [start: number, end: number] | null;
  /** The text between the parts that are put in when it runs. */
  readonly parts: ReadonlyArray<string>;
}

interface Span {
  readonly start: number;
  readonly end: number;
}

interface Tagged {
  readonly type: "TaggedTemplateExpression";
  readonly span: Span;
  readonly tag: { readonly type: string; readonly value?: string };
  readonly typeParameters: { readonly params: ReadonlyArray<{ readonly span: Span }> } | null;
  readonly template: { readonly quasis: ReadonlyArray<{ readonly cooked: string }>; readonly span: Span };
}

const visit = (node: unknown, found: (tagged: Tagged) => void): void => {
  if (typeof node !== "object" || node === null) return;
  if ("type" in node && node.type === "TaggedTemplateExpression") found(node as Tagged);
  for (const child of Object.values(node)) visit(child, found);
};

/** Returns the statements of a file. */
export const statementsOf = (file: string): ReadonlyArray<SourceStatement> => {
  const bytes = readFileSync(file);
  const text = bytes.toString();
  // Most files have none, and to parse one takes long.
  if (!/\bsql[<`]/.test(text)) return [];
  // Offsets count bytes, from the end of the parser's last source.
  const base = parseSync("", { syntax: "typescript" }).span.end;
  const found: Array<SourceStatement> = [];
  const before = (end: number): string => bytes.subarray(0, end - base).toString();
  visit(parseSync(text, { syntax: "typescript" }), ({ span, tag, template, typeParameters }) => {
    if (tag.value !== "sql") return;
    const row = typeParameters?.params[0]?.span;
    const offsets = row && ([before(row.start).length, before(row.end).length] as const);
    found.push({
      file,
      line: before(span.start).split("\n").length,
      row: offsets === undefined || text.slice(...offsets) === "Row" ? null : offsets,
      parts: template.quasis.map(({ cooked }) => cooked),
    });
  });
  return found;
};

/** Whether a text can be that of a statement: it has the statement's parts in their order. */
const canBe = ({ parts }: SourceStatement, text: string): boolean => {
  const first = parts[0] ?? "";
  const last = parts.at(-1) ?? "";
  if (parts.length === 1) return text === first;
  if (!text.startsWith(first) || !text.endsWith(last)) return false;
  let at = first.length;
  for (const part of parts.slice(1, -1)) {
    const next = text.indexOf(part, at);
    if (next < 0) return false;
    at = next + part.length;
  }
  return at <= text.length - last.length;
};

/** The length of a statement's own text, without white space at the ends of its parts. */
export const ownLength = ({ parts }: SourceStatement): number =>
  parts.reduce((sum, part) => sum + part.trim().length, 0);

/** The statements that a text can be from, those with the longest text of their own first. */
export const sourcesOf = (
  statements: ReadonlyArray<SourceStatement>,
  text: string,
): ReadonlyArray<SourceStatement> =>
  statements.filter((each) => canBe(each, text)).toSorted((a, b) => ownLength(b) - ownLength(a));
