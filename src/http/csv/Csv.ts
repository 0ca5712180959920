/** CSV by RFC 4180, which spreadsheets open without running formulas (contract M5). */

/** The value of a cell; null is an empty cell. */
export type CsvValue = string | number | boolean | null;

const isNumber = /^[+-]?\d+(?:\.\d+)?$/;
const isFormula = /^[=+\-@\t\r]/;
const needsQuotes = /[",\r\n]/;

/** A cell. What a spreadsheet would take for a formula is preceded by an apostrophe; numbers are not. */
export const csvCell = (value: CsvValue): string => {
  if (value === null) return "";
  const text = String(value);
  const guarded = isFormula.test(text) && !isNumber.test(text) ? `'${text}` : text;
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
