/** Finds the statements of the program that declare the type of their rows. */
import { parseSync } from "@swc/core";
import { readFileSync } from "node:fs";

/** A statement ``sql<Row>`…` `` in a file of src/. */
export interface DeclaredStatement {
  readonly file: string;
  readonly line: number;
  /** The offsets of `Row` in the file. */
  readonly row: readonly [start: number, end: number];
  /** The text between the parts that are put in when it runs. */
  readonly parts: ReadonlyArray<string>;
}

interface Span {
  readonly start: number;
  readonly end: number;
}

interface Tagged {
  readonly type: "TaggedTemplateExpression";
  readonly tag: { readonly type: string; readonly value?: string };
  readonly typeParameters: { readonly params: ReadonlyArray<{ readonly span: Span }> } | null;
  readonly template: { readonly quasis: ReadonlyArray<{ readonly cooked: string }>; readonly span: Span };
}

const visit = (node: unknown, found: (tagged: Tagged) => void): void => {
  if (typeof node !== "object" || node === null) return;
  if ("type" in node && node.type === "TaggedTemplateExpression") found(node as Tagged);
  for (const child of Object.values(node)) visit(child, found);
};

/** Returns the statements of a file that declare their row. */
export const declaredStatements = (file: string): ReadonlyArray<DeclaredStatement> => {
  // Offsets count bytes, from where the parser's last source ended.
  const base = parseSync("", { syntax: "typescript" }).span.end;
  const bytes = readFileSync(file);
  const found: Array<DeclaredStatement> = [];
  const lengthOf = (end: number): number => bytes.subarray(0, end - base).toString().length;
  visit(parseSync(bytes.toString(), { syntax: "typescript" }), ({ tag, template, typeParameters }) => {
    const [row] = typeParameters?.params ?? [];
    if (tag.value !== "sql" || row === undefined) return;
    const start = lengthOf(row.span.start);
    const line = bytes
      .subarray(0, row.span.start - base)
      .toString()
      .split("\n").length;
    const parts = template.quasis.map(({ cooked }) => cooked);
    found.push({ file, line, row: [start, lengthOf(row.span.end)], parts });
  });
  return found;
};

/** Whether a text can be that of a statement: it has the statement's parts in their order. */
export const canBe = ({ parts }: DeclaredStatement, text: string): boolean => {
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
