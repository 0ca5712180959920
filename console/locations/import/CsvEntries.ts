/** Rows of a CSV of circles, with the columns in any order; separated by commas, semicolons or tabs. */
import { checkSize, type EntryReader, FileBroken, type FileEntry } from "./FileEntries.ts";

const columnNames = {
  name: ["name"],
  latitude: ["latitude", "lat"],
  longitude: ["longitude", "lng", "lon"],
  radius: ["radius"],
  external_id: ["external_id"],
  group: ["group"],
} as const;
type Column = keyof typeof columnNames;
const required: ReadonlyArray<Column> = ["name", "latitude", "longitude", "radius"];

/** The separator that is most frequent in the first line. */
const separatorOf = (text: string): string => {
  const [line = ""] = text.trimStart().split(/[\r\n]/, 1);
  const count = (separator: string): number => line.split(separator).length;
  return [",", ";", "\t"].reduce((best, each) => (count(each) > count(best) ? each : best), ",");
};

/** Splits a text that arrives in pieces into rows (RFC 4180). */
class RowScanner {
  readonly #separator: string;
  #field = "";
  #row: Array<string> = [];
  #isQuoted = false;
  /** A quote within a quoted field: it ends the field unless another one follows. */
  #isQuotePending = false;

  constructor(separator: string) {
    this.#separator = separator;
  }

  /** Whether a quoted field is open. */
  get isQuoted(): boolean {
    return this.#isQuoted && !this.#isQuotePending;
  }

  *push(piece: string, number: () => number): Generator<ReadonlyArray<string>> {
    for (const char of piece) {
      if (this.#isQuotePending) {
        this.#isQuotePending = false;
        if (char === '"') {
          this.#field += char;
          continue;
        }
        this.#isQuoted = false;
      }
      if (this.#isQuoted) {
        if (char === '"') this.#isQuotePending = true;
        else this.#field += char;
      } else if (char === '"' && this.#field.trim() === "") {
        [this.#field, this.#isQuoted] = ["", true];
      } else if (char === this.#separator) this.#endField();
      else if (char === "\n" || char === "\r") yield* this.end();
      else this.#field += char;
    }
    checkSize(this.#field.length, number());
  }

  /** Ends a row; a blank one is none. */
  *end(): Generator<ReadonlyArray<string>> {
    this.#endField();
    const row = this.#row;
    this.#row = [];
    if (row.length > 1 || row[0] !== "") yield row;
  }

  #endField(): void {
    this.#row.push(this.#field.trim());
    this.#field = "";
  }
}

const columnIndexes = (head: ReadonlyArray<string>): Readonly<Record<Column, number>> => {
  const given = head.map((field) => field.toLowerCase().replaceAll(/[\s-]+/g, "_"));
  const indexOf = (column: Column): number =>
    given.findIndex((name) => columnNames[column].some((each) => each === name));
  const missing = required.filter((column) => indexOf(column) === -1);
  if (missing.length > 0)
    throw new FileBroken(
      `The CSV lacks ${missing.map((column) => `"${column}"`).join(", ")}: its first row must name the ` +
        "columns name, latitude, longitude and radius, and optionally external_id and group.",
    );
  return Object.fromEntries(
    Object.keys(columnNames).map((column) => [column, indexOf(column as Column)]),
  ) as Record<Column, number>;
};

/** A number; a decimal comma is accepted unless commas separate the fields. Any other text is as it is. */
const numberOf = (text: string, separator: string): unknown => {
  if (text === "") return null;
  const plain = separator === "," ? text : text.replace(/^([-+]?\d+),(\d+)$/, "$1.$2");
  return /^[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?$/i.test(plain) ? Number(plain) : plain;
};

const entryOfRow = (
  row: ReadonlyArray<string>,
  indexes: Readonly<Record<Column, number>>,
  separator: string,
): unknown => {
  const text = (column: Column): string => row[indexes[column]] ?? "";
  const number = (column: Column): unknown => numberOf(text(column), separator);
  return {
    type: "Feature",
    geometry: { type: "Point", coordinates: [number("longitude"), number("latitude")] },
    properties: {
      name: text("name") || null,
      radius: number("radius"),
      external_id: text("external_id") || null,
      group: text("group") || null,
    },
  };
};

/** Reads a CSV. The first row names the columns. @throws FileBroken */
export const readCsv: EntryReader = async function* (pieces) {
  let scanner: RowScanner | undefined;
  let separator = ",";
  let head: ReadonlyArray<string> | undefined;
  let indexes: Readonly<Record<Column, number>> | undefined;
  let number = 0;
  const entriesOf = function* (rows: Iterable<ReadonlyArray<string>>): Generator<FileEntry> {
    for (const row of rows) {
      if (head === undefined || indexes === undefined) {
        [head, indexes] = [row, columnIndexes(row)];
        continue;
      }
      number += 1;
      const isWhole = row.length === head.length;
      const reason = `The row must have ${head.length} fields, like the first row; it has ${row.length}.`;
      const feature = isWhole ? entryOfRow(row, indexes, separator) : null;
      yield { number, feature, reason: isWhole ? null : reason, size: row.join().length + 200 };
    }
  };
  for await (const piece of pieces) {
    if (scanner === undefined && piece !== "") scanner = new RowScanner((separator = separatorOf(piece)));
    if (scanner !== undefined) yield* entriesOf(scanner.push(piece, () => number + 1));
  }
  if (scanner?.isQuoted === true)
    throw new FileBroken(`A quote (") that opens in row ${number + 1} is never closed.`);
  if (scanner !== undefined) yield* entriesOf(scanner.end());
  if (head === undefined) throw new FileBroken("The CSV is empty: its first row must name its columns.");
};
