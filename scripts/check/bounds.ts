/**
 * The rule of bounds: a statement of a `*Sql.ts` that can return or touch more than 1,000 rows for one call
 * says its bound where it is declared, as `Bound: 100 locations of a campaign.` in the comment above it, or
 * above the declaration that contains it, for all of its statements. A line `// Bound: …` is about the rest
 * of its block. `none` with what it is about says that there is no bound. Evident bounds need no words: a
 * row by its whole key, an insert of one row, a `LIMIT` at the end, and the parts of another statement.
 */
import { tokensOf } from "../mutants/Tokens.ts";
import type { Finding, SourceFile } from "./finding.ts";

/** Rows of a call that need no declaration. */
const maxRows = 1_000;

/** The tables of the schema, each with its keys without the columns of the tenant. */
export type TableKeys = ReadonlyMap<string, ReadonlyArray<ReadonlyArray<string>>>;

const tenantColumns = new Set(["workspace_id", "environment"]);

/** The tables and keys of migrations. Partial indexes, and those on expressions, are no keys. */
export const tableKeys = (schema: string): TableKeys => {
  const keys = new Map<string, Array<ReadonlyArray<string>>>();
  const add = (table: string, columns: string): void => {
    const own = columns.split(/,\s*/).filter((column) => !tenantColumns.has(column));
    keys.get(table)?.push(own);
  };
  for (const [, table = "", body = ""] of schema.matchAll(/^CREATE TABLE (\w+) \(\n([\s\S]*?)\n\)/gm)) {
    keys.set(table, []);
    for (const [, columns = ""] of body.matchAll(/\b(?:PRIMARY KEY|UNIQUE) \(([\w, ]+)\)/g))
      add(table, columns);
    for (const [, column = ""] of body.matchAll(/^ {2}(\w+) +[^,(]*\b(?:PRIMARY KEY|UNIQUE)\b/gm))
      add(table, column);
  }
  for (const [, table = "", columns = ""] of schema.matchAll(
    /^CREATE UNIQUE INDEX \w+\s+ON (\w+) \(([\w, ]+)\);/gm,
  ))
    add(table, columns);
  return keys;
};

/** A statement; `$` stands for a parameter or a part, `@` for the items of an `unnested`. */
interface Statement {
  /** From 1. */
  readonly line: number;
  readonly text: string;
}

const beginning = /^\s*(?:\/\*[^*]*\*\/\s*)?(?:SELECT|WITH|INSERT|UPDATE|DELETE|MERGE|COPY)\b/;

const shown = (expression: string): string =>
  /^\$\{\s*(?:ofBatch\(\s*)?unnested\(/.test(expression)
    ? "@"
    : (/^\$\{table\.(\w+)\}$/.exec(expression)?.[1] ?? "$");

/** The statements of a source, also those that are a part of another one. */
export const statementsOf = (source: string): ReadonlyArray<Statement> => {
  const templates = new Map<number, { text: string; end: number }>();
  for (const { end, kind, start, template = 0, text } of tokensOf(source))
    if (kind === "sql") {
      const before = templates.get(template);
      const gap = before === undefined ? "" : shown(source.slice(before.end, start - 1) + "}");
      templates.set(template, { text: (before?.text ?? "") + gap + text, end });
    }
  return [...templates]
    .filter(([, { text }]) => beginning.test(text))
    .map(([at, { text }]) => ({ line: source.slice(0, at).split("\n").length, text: text.trim() }));
};

const named = /\b(?:FROM|JOIN|UPDATE|INTO|USING)\s+(?:ONLY\s+)?([\w$@]+)/g;

/** The tables of the schema that a statement names; a table that is a parameter counts as one. */
const tablesOf = (text: string, keys: TableKeys): ReadonlyArray<string> =>
  [...text.matchAll(named)].flatMap(([, name = ""]) => (keys.has(name) || name === "$" ? [name] : []));

const isOneRow = (text: string, tables: ReadonlyArray<string>, keys: TableKeys): boolean =>
  tables.length === 1 &&
  (keys.get(tables[0] ?? "") ?? []).some((key) =>
    key.length === 0
      ? /\bWHERE \$(?!.* OR )|workspace_id = \$\s+AND environment = \$/.test(text)
      : key.every((column) => new RegExp(`\\b${column} = \\$`).test(text)),
  );

const isOneInsert = (text: string): boolean =>
  /^INSERT INTO \w+(?: AS \w+)?\s+\([^()]*\)\s+VALUES \(/.test(text) && !/\b(?:FROM|JOIN)\s/.test(text);

/** A statement that ends with `LIMIT`; a `LIMIT` that is a parameter is the size of a page. */
const isPage = (text: string): boolean => {
  const [, limit] =
    /\bLIMIT (\$|\d+)(?:\s+FOR (?:NO KEY )?UPDATE(?: OF \w+)?(?: SKIP LOCKED)?)?$/.exec(text) ?? [];
  return /^(SELECT|WITH)/.test(text) && limit !== undefined && (limit === "$" || Number(limit) <= maxRows);
};

/** Rows of a job, as many as its `LIMIT`: `DELETE … WHERE ctid = ANY (ARRAY (SELECT … LIMIT $))`. */
const isPruning = (text: string): boolean =>
  /^(?:DELETE|UPDATE)[^()]* = ANY \(ARRAY \(\s*SELECT [^()]* LIMIT \$/.test(text);

/** Whether the text of a statement shows that it returns and touches at most 1,000 rows. */
export const isEvident = (text: string, keys: TableKeys): boolean => {
  const tables = tablesOf(text, keys);
  return (
    tables.length === 0 ||
    isOneRow(text, tables, keys) ||
    isOneInsert(text) ||
    isPage(text) ||
    isPruning(text)
  );
};

/** A comment that says a bound: a number, or `none`. */
const saysBound = /\bBound: [^.]*(?:\d|\bnone\b)/;

/**
 * The lines, from 1, that comments with a bound are about: to the end of the declaration below, or of the
 * block of a comment that says nothing else.
 */
export const boundedLines = (source: string): ReadonlySet<number> => {
  const lines = source.split("\n");
  const bounded = new Set<number>();
  const depth = (line: number): number => /^ */.exec(lines[line] ?? "")?.[0].length ?? 0;
  for (const { 0: comment, index } of source.matchAll(/\/\*\*(?:(?!\*\/)[\s\S])*\*\/|\/\/ .*/g)) {
    if (!saysBound.test(comment)) continue;
    const isOfBlock = comment.startsWith("// Bound: ");
    const start = source.slice(0, index + comment.length).split("\n").length;
    const margin = depth(start - 1);
    for (let line = start; line < lines.length; line++) {
      const text = (lines[line] ?? "").trim();
      const isOut = isOfBlock ? depth(line) < margin : depth(line) <= margin && line > start;
      if (isOut && text !== "" && (isOfBlock || !/^[\])}`]/.test(text))) break;
      bounded.add(line + 1);
    }
  }
  return bounded;
};

/** The statements of a file that neither have an evident bound nor say it. */
export const statementBounds = (file: SourceFile, keys: TableKeys): ReadonlyArray<Finding> => {
  const bounded = boundedLines(file.text);
  return statementsOf(file.text).flatMap(({ line, text }) => {
    if (isEvident(text, keys) || bounded.has(line)) return [];
    const message = `The statement may touch over ${maxRows} rows: say "Bound: <number> <rows>." above it.`;
    return [{ file: file.path, line, message }];
  });
};

/** Whether a file says of statements that they have no bound. Such a statement is work to be done. */
export const saysNoBound = ({ text }: SourceFile): boolean => /\bBound: [^.]*\bnone\b/.test(text);
