/** The rows of the first sheet of a workbook (.xlsx), within bounds. It runs in a worker. */
import { streamXlsxRows } from "hucre/xlsx";
import { ImportFileBroken } from "../../../src/client/location-files/ImportEntry.ts";
import type { TableRow } from "./ImportTable.ts";

/** No list of locations has more. `chars` are those of all cells: many cells can share a long text. */
export const workbookBounds = {
  unpackedBytes: 134_217_728,
  rows: 200_000,
  columns: 256,
  chars: 33_554_432,
} as const;

const asCsv = "save its table as CSV, or in parts, and import that.";
const broken = () =>
  new ImportFileBroken("The workbook is damaged: save it again, or save its table as CSV.");
const tooLarge = (what: string) => new ImportFileBroken(`The workbook ${what}: ${asCsv}`);

const [directoryEntry, endOfDirectory, commentBytes] = [0x02014b50, 0x06054b50, 65_535];

/**
 * Checks the sizes that the directory of a ZIP names, before anything is unpacked. The library unpacks no
 * file beyond its size there, but for one without a size. @throws ImportFileBroken
 */
const checkUnpackedSize = (bytes: Uint8Array): void => {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let end = bytes.length - 22;
  while (end >= Math.max(0, bytes.length - 22 - commentBytes) && view.getUint32(end, true) !== endOfDirectory)
    end--;
  let at = view.getUint32(end + 16, true);
  let total = 0;
  for (let left = view.getUint16(end + 10, true); left > 0; left--) {
    if (view.getUint32(at, true) !== directoryEntry) throw broken();
    const [packed, size] = [view.getUint32(at + 20, true), view.getUint32(at + 24, true)];
    // Two bytes unpack to nothing; a size that stands elsewhere is not known here.
    if (size === 0 && (packed > 2 || (packed === 0 && (view.getUint16(at + 8, true) & 8) !== 0)))
      throw broken();
    total += size;
    if (total > workbookBounds.unpackedBytes) throw tooLarge("unpacks to more than 128 MB");
    at += 46 + [28, 30, 32].reduce((sum, offset) => sum + view.getUint16(at + offset, true), 0);
  }
};

/** A cell as the library gives it: a text, a number, a boolean, an instant or nothing. */
const textOf = (value: unknown): string =>
  value instanceof Date
    ? value.toISOString().replace(/T00:00:00\.000Z$/, "")
    : `${(value ?? "") as string | number | boolean}`;

/** The rows that are not empty, without the empty cells at their ends. @throws ImportFileBroken */
export const workbookRows = async (bytes: Uint8Array): Promise<ReadonlyArray<TableRow>> => {
  const rows: Array<TableRow> = [];
  let chars = 0;
  try {
    checkUnpackedSize(bytes);
    for await (const { index, values } of streamXlsxRows(bytes)) {
      const last = values.findLastIndex((value) => value !== null && value !== "");
      if (last === -1) continue;
      if (last >= workbookBounds.columns) throw tooLarge(`has more than ${workbookBounds.columns} columns`);
      const cells = values.slice(0, last + 1).map(textOf);
      chars += cells.reduce((sum, { length }) => sum + length, 0);
      if (chars > workbookBounds.chars) throw tooLarge("has more text than a list of locations");
      if (rows.push({ number: index + 1, cells }) > workbookBounds.rows)
        throw tooLarge("has more than 200,000 rows");
    }
  } catch (error) {
    throw error instanceof ImportFileBroken ? error : broken();
  }
  return rows;
};
