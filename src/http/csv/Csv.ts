/** CSV by RFC 4180, which spreadsheets open without running formulas (contract M5). */

/** The value of a cell; null is an empty cell. */
export type CsvValue = string | number | boolean | null;

/**
 * The texts that `csvCell` guards, as regular expressions that PostgreSQL reads in the same way. Spreadsheets
 * take the wide signs of East Asian keyboards for the plain ones.
 */
export const csvFormula = {
  number: /^[+-]?\d+(?:\.\d+)?$/,
  start: /^[=+\-@\uFF1D\uFF0B\uFF0D\uFF20\t\r\n]/,
  /**
   * A formula within a cell: behind a semicolon, which separates cells where the comma is the decimal sign,
   * behind a tab, or on a further line, which a reader may take for a row.
   */
  inner: /([;\t\r\n][ "]*)(?=[=+\-@\uFF1D\uFF0B\uFF0D\uFF20])/g,
} as const;

const needsQuotes = /[",\r\n]/;

/**
 * A cell. What a spreadsheet would take for a formula is preceded by an apostrophe. A cell that is a number
 * is not; within a cell even a number is, because the next cell may continue it as a formula.
 */
export const csvCell = (value: CsvValue): string => {
  if (value === null) return "";
  const text = String(value);
  const first = csvFormula.start.test(text) && !csvFormula.number.test(text) ? `'${text}` : text;
  const guarded = first.replaceAll(csvFormula.inner, "$1'");
  return needsQuotes.test(guarded) ? `"${guarded.replaceAll('"', '""')}"` : guarded;
};

/** A record, without its line break. */
export const csvLine = (values: ReadonlyArray<CsvValue>): string => values.map(csvCell).join(",");

/** The separator of several texts in one cell. */
export const csvSeparator = "; ";

/** A JSON value as a cell shows it: lists of texts joined, other nested values as compact JSON. */
export const csvValue = (value: unknown): CsvValue => {
  if (value === null || value === undefined) return null;
  if (typeof value === "string" || typeof value === "number" || typeof value === "boolean") return value;
  return Array.isArray(value) && value.every((each) => typeof each === "string")
    ? value.join(csvSeparator)
    : JSON.stringify(value);
};

/** The records of rows, by the names of their columns. */
export const csvLines = (
  columns: ReadonlyArray<string>,
  rows: ReadonlyArray<object>,
): ReadonlyArray<string> =>
  rows.map((row) => csvLine(columns.map((name) => csvValue((row as Record<string, unknown>)[name]))));

/** Headings that differ: the second of several equal ones ends in ` (2)`, and so on. */
export const distinctHeadings = (headings: ReadonlyArray<string>): ReadonlyArray<string> => {
  const taken = new Set<string>();
  return headings.map((heading) => {
    let distinct = heading;
    for (let count = 2; taken.has(distinct); count++) distinct = `${heading} (${count})`;
    taken.add(distinct);
    return distinct;
  });
};
