import { csvRows } from "./CsvRows.ts";
import { type ImportEntry, type EntryReader, ImportFileBroken } from "./ImportEntry.ts";

const columnNames: Readonly<Record<string, ReadonlyArray<string>>> = {
  name: ["name"],
  latitude: ["latitude", "lat"],
  longitude: ["longitude", "lng", "lon"],
  radius: ["radius"],
  external_id: ["external_id"],
  group: ["group"],
};
const required = ["name", "latitude", "longitude", "radius"];

/** The heading of a CSV of places. */
export interface CsvHead {
  readonly fields: ReadonlyArray<string>;
  readonly delimiter: string;
}

/** Comma, semicolon or tab: whichever the first line has most of. */
const delimiterOf = (line: string): string => {
  const count = (delimiter: string): number => line.split(delimiter).length;
  return [",", ";", "\t"].reduce((best, each) => (count(each) > count(best) ? each : best), ",");
};

/** A number as it is written; with a decimal comma too where commas do not separate fields, as spreadsheets of half of Europe save it. */
const number = (text: string | undefined, delimiter: string): unknown => {
  const written = (text ?? "").trim();
  if (written === "") return null;
  const trimmed = delimiter === "," ? written : written.replace(/^([-+]?\d+),(\d+)$/, "$1.$2");
  // What is no number stays the text that it is, for the server to say so.
  return /^[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?$/.test(trimmed) ? Number(trimmed) : trimmed;
};

/**
 * Reads a CSV of circles, with the columns name, latitude, longitude, radius, external_id and group in any order; others are
 * ignored. Fields are separated by commas, semicolons or tabs. `onHead` gets the heading, in whose shape refused rows are written.
 */
export const csvReader = (onHead: (head: CsvHead) => void): EntryReader => {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let opening = "";
  let rows: ReturnType<typeof csvRows> | null = null;
  let head: CsvHead | null = null;
  let at: Readonly<Record<string, number>> = {};

  const readHead = (fields: ReadonlyArray<string>, delimiter: string): void => {
    const names = fields.map((field) =>
      field
        .trim()
        .toLowerCase()
        .replaceAll(/[\s-]+/g, "_"),
    );
    const found = Object.entries(columnNames).map(
      ([column, spelled]) => [column, names.findIndex((name) => spelled.includes(name))] as const,
    );
    const missing = found.filter(([column, index]) => index === -1 && required.includes(column));
    if (missing.length > 0) {
      throw new ImportFileBroken(
        `The CSV lacks ${missing.map(([column]) => `"${column}"`).join(", ")}: its first row must name the columns name, latitude, ` +
          "longitude, radius, and external_id and group where there are such.",
      );
    }
    at = Object.fromEntries(found);
    head = { fields, delimiter };
    onHead(head);
  };

  const entryOf = (row: ReadonlyArray<string>, width: number, delimiter: string): ImportEntry => {
    if (row.length !== width) {
      const reasons = [
        `The row must have ${width} fields, as the first one has; this one has ${row.length}.`,
      ];
      return { _tag: "Unread", text: "", reasons, row };
    }
    const text = (column: string): string | null => row[at[column] ?? -1]?.trim() || null;
    const coordinates = [
      number(row[at["longitude"] ?? -1], delimiter),
      number(row[at["latitude"] ?? -1], delimiter),
    ];
    const [name, external_id, group] = [text("name"), text("external_id"), text("group")];
    const properties = { name, radius: number(row[at["radius"] ?? -1], delimiter), external_id, group };
    const feature = { type: "Feature", geometry: { type: "Point", coordinates }, properties };
    return { _tag: "Feature", feature, size: JSON.stringify(feature).length * 2, row };
  };

  const entries = (read: ReadonlyArray<ReadonlyArray<string>>, delimiter: string): Array<ImportEntry> => {
    const found: Array<ImportEntry> = [];
    for (const row of read) {
      if (head === null) readHead(row, delimiter);
      else found.push(entryOf(row, head.fields.length, delimiter));
    }
    return found;
  };

  const push = (piece: Buffer | undefined): ReadonlyArray<ImportEntry> => {
    let text: string;
    try {
      text = piece === undefined ? decoder.decode() : decoder.decode(piece, { stream: true });
    } catch {
      throw new ImportFileBroken("The CSV is not UTF-8: save it as UTF-8 and import it again.");
    }
    if (rows !== null && head !== null) return entries(rows.push(text), head.delimiter);
    // Until the first line is whole its delimiter is not known.
    opening += text;
    const line = /^[^\r\n]+(?=[\r\n])/.exec(opening.trimStart())?.[0];
    if (line === undefined && piece !== undefined) {
      if (opening.length > 1_048_576)
        throw new ImportFileBroken("The first row of the CSV is longer than 1 MiB.");
      return [];
    }
    const delimiter = delimiterOf(line ?? opening);
    rows = csvRows(delimiter);
    return entries(rows.push(opening), delimiter);
  };

  return {
    push,
    end: () => {
      const last = push(undefined);
      const delimiter = head?.delimiter ?? ",";
      const all = [...last, ...entries(rows?.end() ?? [], delimiter)];
      if (head === null) {
        throw new ImportFileBroken(
          "The CSV is empty: its first row must name the columns name, latitude, longitude, radius.",
        );
      }
      return all;
    },
  };
};
