/** CSV files of circles. */
import { CsvBroken, CsvRows } from "../../wire/CsvRows.ts";
import { type EntryReader, type ImportEntry, ImportFileBroken } from "./ImportEntry.ts";

/** The accepted names of each column. */
const columnNames = {
  name: ["name"],
  latitude: ["latitude", "lat"],
  longitude: ["longitude", "lng", "lon"],
  radius: ["radius"],
  external_id: ["external_id"],
  group: ["group"],
} as const;
type ColumnName = keyof typeof columnNames;
const requiredColumns: ReadonlyArray<ColumnName> = ["name", "latitude", "longitude", "radius"];

const maxRowChars = 1_048_576;

/** The first row of a CSV, and the character between its fields. */
export interface CsvHead {
  readonly fields: ReadonlyArray<string>;
  readonly delimiter: string;
}

const normalizedName = (field: string): string =>
  field
    .trim()
    .toLowerCase()
    .replaceAll(/[\s-]+/g, "_");

/** The index of each column; -1 for a column that the file does not have. */
const columnIndexes = (head: ReadonlyArray<string>): Readonly<Record<ColumnName, number>> => {
  const given = head.map(normalizedName);
  const indexOf = (column: ColumnName): number =>
    given.findIndex((name) => columnNames[column].some((each) => each === name));
  const missing = requiredColumns.filter((column) => indexOf(column) === -1);
  if (missing.length > 0) {
    const names = missing.map((column) => `"${column}"`).join(", ");
    throw new ImportFileBroken(
      `The CSV lacks ${names}: its first row must name the columns ` +
        "name, latitude, longitude and radius, and optionally external_id and group.",
    );
  }
  const columns = Object.keys(columnNames) as Array<ColumnName>;
  return Object.fromEntries(columns.map((column) => [column, indexOf(column)])) as Record<ColumnName, number>;
};

/**
 * Parses a number. A decimal comma is accepted unless commas separate the fields: spreadsheets write it in
 * many countries. Any other text is returned as it is, so that the server reports it.
 */
const parseNumber = (text: string, delimiter: string): unknown => {
  const trimmed = text.trim();
  if (trimmed === "") return null;
  const plain = delimiter === "," ? trimmed : trimmed.replace(/^([-+]?\d+),(\d+)$/, "$1.$2");
  return /^[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?$/.test(plain) ? Number(plain) : plain;
};

/** Returns the function that turns rows into entries. @throws ImportFileBroken if a column is missing */
const entryOfRow = ({ delimiter, fields }: CsvHead) => {
  const indexes = columnIndexes(fields);
  return (row: ReadonlyArray<string>): ImportEntry => {
    if (row.length !== fields.length) {
      const reason = `The row must have ${fields.length} fields, like the first row; it has ${row.length}.`;
      return { _tag: "Unreadable", text: "", reasons: [reason], row };
    }
    const text = (column: ColumnName): string | null => row[indexes[column]]?.trim() || null;
    const number = (column: ColumnName): unknown => parseNumber(row[indexes[column]] ?? "", delimiter);
    const feature = {
      type: "Feature",
      geometry: { type: "Point", coordinates: [number("longitude"), number("latitude")] },
      properties: {
        name: text("name"),
        radius: number("radius"),
        external_id: text("external_id"),
        group: text("group"),
      },
    };
    return { _tag: "Feature", feature, size: JSON.stringify(feature).length * 2, row };
  };
};

/** The error with a sentence for people. */
const fileError = (error: unknown): unknown => {
  if (!(error instanceof CsvBroken)) return error;
  const { message, problem, row } = error;
  if (problem === "long")
    return new ImportFileBroken(
      `Row ${row} is longer than 1 MiB: is a quote (") in it opened and never closed?`,
    );
  if (problem === "quote")
    return new ImportFileBroken(`A quote (") that opens in row ${row} is never closed.`);
  return new ImportFileBroken(`Row ${row} cannot be read: ${message}.`);
};

/**
 * Reads a CSV (RFC 4180) of circles, with the columns name, latitude, longitude, radius, external_id and
 * group in any order. Other columns are ignored. `onHead` receives the first row, which the file of refused
 * rows repeats.
 */
export const csvReader = (delimiter: string, onHead: (head: CsvHead) => void): EntryReader => {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  const rows = new CsvRows(delimiter, maxRowChars, true);
  let toEntry: ((row: ReadonlyArray<string>) => ImportEntry) | null = null;
  const decode = (piece?: Uint8Array): string => {
    try {
      return decoder.decode(piece, { stream: piece !== undefined });
    } catch {
      throw new ImportFileBroken("The CSV is not UTF-8: save it as UTF-8 and import it again.");
    }
  };
  const entriesOf = (read: () => ReadonlyArray<ReadonlyArray<string>>): ReadonlyArray<ImportEntry> => {
    try {
      const [fields, ...others] = read();
      if (fields === undefined) return [];
      if (toEntry !== null) return [fields, ...others].map(toEntry);
      toEntry = entryOfRow({ fields, delimiter });
      onHead({ fields, delimiter });
      return others.map(toEntry);
    } catch (error) {
      throw fileError(error);
    }
  };
  return {
    push: (piece) => entriesOf(() => rows.push(decode(piece))),
    end: () => {
      const entries = entriesOf(() => [...rows.push(decode()), ...rows.end()]);
      if (toEntry !== null) return entries;
      throw new ImportFileBroken(
        "The CSV is empty: its first row must name the columns name, latitude, longitude and radius.",
      );
    },
  };
};
