/** Tables of locations: which column is what, and the feature of each row. */
import { delimiterOf } from "../../../src/client/location-files/FileFormat.ts";
import { type ImportEntry, ImportFileBroken } from "../../../src/client/location-files/ImportEntry.ts";
import { readPosition } from "../../parts/map/Shapes.ts";

/** A row with the number that a spreadsheet shows. */
export interface TableRow {
  readonly number: number;
  readonly cells: ReadonlyArray<string>;
}

/** A table: the names of its columns, and the rows below them. */
export interface ImportTable {
  readonly head: TableRow;
  readonly rows: ReadonlyArray<TableRow>;
  /** The character between the fields of a CSV; null for a workbook. */
  readonly delimiter: string | null;
}

/** A value of a location, its label, and the beginnings of names that columns of it have. */
const columns = {
  name: [
    "Name",
    "name naam store shop winkel filiaal vestiging filial nom nombre bezeichnung title location",
  ],
  latitude: ["Latitude", "latitude lat breedte breite latitud y coordinates position latlng"],
  longitude: ["Longitude", "longitude lng lon lengte laenge lange longitud x coordinates position latlng"],
  radius: ["Radius", "radius straal rayon radio umkreis"],
  external_id: [
    "External id",
    "externalid storeid id code storenumber winkelnummer filiaalnummer nummer number",
  ],
  group: ["Group", "group groep gruppe groupe grupo category categorie region regio"],
} as const;

/** A value of a location that a column has. */
export type ImportField = keyof typeof columns;
/** The values in the order of the page, with their labels. */
export const importFields = Object.entries(columns).map(
  ([field, [label]]) => [field as ImportField, label] as const,
);

/** The index of the column of each value, -1 for none; and the radius of rows that have none. */
export type ColumnMapping = Readonly<Record<ImportField, number>> & { readonly defaultRadius: string };

/** Letters and digits alone: "Store_ID (old)" is "storeidold". */
const plain = (name: string): string =>
  name
    .normalize("NFD")
    .toLowerCase()
    .replaceAll(/[^a-z0-9]/g, "");

/** A guess by the names of the columns: the same name before one that begins with it. */
export const guessMapping = ({ head }: ImportTable): ColumnMapping => {
  const names = head.cells.map(plain);
  const guess = (field: ImportField): number => {
    const words = columns[field][1].split(" ");
    const index = words.map((word) => names.indexOf(word)).find((found) => found !== -1);
    const begins = (word: string) => names.findIndex((name) => word.length > 2 && name.startsWith(word));
    return index ?? words.map(begins).find((found) => found !== -1) ?? -1;
  };
  const fields = Object.fromEntries(importFields.map(([field]) => [field, guess(field)]));
  return { ...(fields as Record<ImportField, number>), defaultRadius: "" };
};

/** Whether a table can be checked: it has names, positions and radii. */
export const isComplete = ({ defaultRadius, latitude, longitude, name, radius }: ColumnMapping): boolean =>
  name !== -1 && latitude !== -1 && longitude !== -1 && (radius !== -1 || defaultRadius.trim() !== "");

/** A number. A decimal comma is accepted unless commas separate the fields. Another text is kept. */
const parseNumber = (text: string, delimiter: string | null): unknown => {
  const plainText = delimiter === "," ? text : text.replace(/^([-+]?\d+),(\d+)$/, "$1.$2");
  return text === ""
    ? null
    : /^[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?$/.test(plainText)
      ? Number(plainText)
      : text;
};

/** An entry of a table. */
export type TableEntry = ImportEntry & { readonly number: number };

/** The entry of each row. */
export const tableEntries = (
  { delimiter, head, rows }: ImportTable,
  mapping: ColumnMapping,
): ReadonlyArray<TableEntry> =>
  rows.map(({ cells, number }): TableEntry => {
    // Spreadsheets leave out the empty cells at the end of a row.
    if (delimiter !== null && cells.length !== head.cells.length) {
      const fields = `${head.cells.length} fields, like the first row`;
      const reason = `The row must have ${fields}; it has ${cells.length}.`;
      return { _tag: "Unreadable", number, text: "", reasons: [reason], row: cells };
    }
    const text = (field: ImportField): string => cells[mapping[field]]?.trim() ?? "";
    const value = (field: ImportField): unknown => parseNumber(text(field), delimiter);
    const both = mapping.latitude === mapping.longitude ? readPosition(text("latitude")) : undefined;
    const feature = {
      type: "Feature",
      geometry: { type: "Point", coordinates: both ?? [value("longitude"), value("latitude")] },
      properties: {
        name: text("name") || null,
        radius: value("radius") ?? parseNumber(mapping.defaultRadius.trim(), null),
        external_id: text("external_id") || null,
        group: text("group") || null,
      },
    };
    return { _tag: "Feature", number, feature, size: JSON.stringify(feature).length * 2, row: cells };
  });

/** The rows of a CSV. A quote within a field that does not begin with one is a character. */
const csvRows = (text: string, delimiter: string): ReadonlyArray<ReadonlyArray<string>> => {
  const field = new RegExp(
    `(?:"([^"]*(?:""[^"]*)*)"|([^${delimiter}\\r\\n]*))(${delimiter}|\\r\\n|[\\r\\n]|$)`,
    "y",
  );
  const rows: Array<Array<string>> = [[]];
  while (field.lastIndex < text.length) {
    const [, quoted, bare = "", end = ""] = field.exec(text) ?? [];
    if (/^"[^"]*$/.test(bare))
      throw new ImportFileBroken(`A quote (") that opens in row ${rows.length} is never closed.`);
    rows.at(-1)?.push(quoted?.replaceAll('""', '"') ?? bare);
    if (end !== delimiter) rows.push([]);
    else if (field.lastIndex === text.length) rows.at(-1)?.push("");
  }
  return rows;
};

/** The text of a file: UTF-8 or UTF-16, or else the Latin letters of Windows, as older spreadsheets write. */
const decoded = (bytes: Uint8Array): string => {
  const [first, second] = bytes;
  if (first === 0xff && second === 0xfe) return new TextDecoder("utf-16le").decode(bytes);
  if (first === 0xfe && second === 0xff) return new TextDecoder("utf-16be").decode(bytes);
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder("windows-1252").decode(bytes);
  }
};

const isWorkbook = ([p, k]: Uint8Array): boolean => p === 0x50 && k === 0x4b;
/** The container of workbooks of before 2007, and of those with a password. */
const isOldContainer = ([d, o]: Uint8Array): boolean => d === 0xd0 && o === 0xcf;

/** The table of a file; undefined for GeoJSON. @throws ImportFileBroken */
export const readTable = async (
  file: File,
  readWorkbook: (file: File) => Promise<ReadonlyArray<TableRow>>,
): Promise<ImportTable | undefined> => {
  const opening = new Uint8Array(await file.slice(0, 65_536).arrayBuffer());
  if (isOldContainer(opening))
    throw new ImportFileBroken(
      "The workbook is an old one (.xls) or has a password: save it as .xlsx without.",
    );
  const isSheet = isWorkbook(opening);
  if (!isSheet && !/\.(?:csv|tsv|txt)$/i.test(file.name)) return undefined;
  let [rows, delimiter]: [ReadonlyArray<TableRow>, string | null] = [[], null];
  if (isSheet) rows = await readWorkbook(file);
  else {
    const text = decoded(new Uint8Array(await file.arrayBuffer()));
    if (/^\s*[{[]/.test(text) || text.startsWith("\u001E")) return undefined;
    delimiter = delimiterOf(text);
    rows = csvRows(text, delimiter).map((cells, index) => ({ number: index + 1, cells }));
  }
  const [head, ...others] = rows.filter(({ cells }) => cells.some((cell) => cell.trim() !== ""));
  if (head === undefined)
    throw new ImportFileBroken("The table is empty: its first row must name the columns.");
  return { head, rows: others, delimiter };
};
