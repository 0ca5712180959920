/** Readers of the rows of an import, piece by piece. */
import { Predicate } from "effect";
import { CsvBroken, CsvRows } from "../../wire/CsvRows.ts";
import type { ImportedRow } from "./ImportedDevice.ts";

/** A row, or why it cannot be read. */
export type ReadRow = ImportedRow | string;

/** The maximum length of a row, in characters. */
const maxRowLength = 65_536;

/** Nothing behind this can be read. */
export class UnreadableRest extends Error {}

/** Reads rows from the pieces of a text. */
export interface RowReader {
  /** The rows that end in the piece; some may come later. @throws UnreadableRest */
  readonly push: (text: string) => ReadonlyArray<ReadRow>;
  /** The rows that are left. @throws UnreadableRest */
  readonly end: () => ReadonlyArray<ReadRow>;
}

const tooLong = "The row is longer than 65,536 characters.";

const rowOfLine = (line: string): ReadRow => {
  if (line.length > maxRowLength) return tooLong;
  try {
    const value: unknown = JSON.parse(line);
    if (Predicate.isObject(value) && !Array.isArray(value)) return value;
  } catch {
    // Also no JSON object.
  }
  return "The line must be a JSON object.";
};

/** Reads a JSON object from each line that is not blank. */
export const lineReader = (): RowReader => {
  let rest = "";
  const rowsOf = (lines: ReadonlyArray<string>) =>
    lines.filter((line) => line.trim() !== "").map((line) => rowOfLine(line));
  return {
    push: (text) => {
      const lines = (rest + text).split("\n");
      // Of a line that is too long, only so much is kept as shows it.
      rest = (lines.pop() ?? "").slice(0, maxRowLength + 1);
      return rowsOf(lines);
    },
    end: () => rowsOf([rest]),
  };
};

const columns = new Set([
  "installation_id",
  "platform",
  "transport",
  "address",
  "attributes",
  "locale",
  "timezone",
  "user_id",
]);

const rowOfCells = (head: ReadonlyArray<string>, cells: ReadonlyArray<string>): ReadRow => {
  if (cells.length !== head.length) {
    return `The row must have ${head.length} fields, like the first row; it has ${cells.length}.`;
  }
  const row: { [column: string]: string } = {};
  for (const [index, name] of head.entries()) {
    const cell = cells[index]?.trim() ?? "";
    if (cell !== "" && columns.has(name)) row[name] = cell;
  }
  return row;
};

/** Reads CSV (RFC 4180), whose first row names the columns. Empty cells are not given. */
export const csvReader = (): RowReader => {
  const csv = new CsvRows(",", maxRowLength, false);
  let head: ReadonlyArray<string> | null = null;
  const rowsOf = (read: () => ReadonlyArray<ReadonlyArray<string>>): ReadonlyArray<ReadRow> => {
    try {
      return read().flatMap((cells) => {
        if (head !== null) return [rowOfCells(head, cells)];
        head = cells.map((cell) => cell.trim().toLowerCase());
        if (head.includes("installation_id")) return [];
        throw new UnreadableRest("The first row must name the columns, among them installation_id.");
      });
    } catch (error) {
      if (!(error instanceof CsvBroken)) throw error;
      throw new UnreadableRest(
        error.problem === "long"
          ? `${tooLong} Is a quote (") in it opened and never closed?`
          : `The row is no CSV: ${error.message}.`,
      );
    }
  };
  return {
    push: (text) => rowsOf(() => csv.push(text)),
    end: () => rowsOf(() => csv.end()),
  };
};
