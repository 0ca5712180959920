import { maxEntryBytes, ImportFileBroken } from "./ImportEntry.ts";

/** Most characters of one row. */
const maxRow = maxEntryBytes / 16;

/**
 * Reads CSV text (RFC 4180) piece by piece into rows of fields: a field in quotes may hold the delimiter, line ends, and quotes
 * written twice. Line ends are LF, CR LF or CR; empty lines are no rows. @throws ImportFileBroken for a row over 1 MiB or quotes that
 * are never closed
 */
export const csvRows = (delimiter: string) => {
  let row: Array<string> = [];
  let field = "";
  let size = 0;
  let rows = 0;
  /** Where in a field we are: before it, in a plain one, in quotes, or after a quote that may close it. */
  let state: "start" | "plain" | "quoted" | "closing" = "start";
  let isAfterReturn = false;

  const endField = (): void => {
    row.push(field);
    field = "";
    state = "start";
  };
  const endRow = (ended: Array<ReadonlyArray<string>>): void => {
    const isEmpty = row.length === 0 && field === "" && state === "start";
    if (!isEmpty) {
      endField();
      ended.push(row);
      rows++;
    }
    row = [];
    size = 0;
  };

  const push = (text: string): Array<ReadonlyArray<string>> => {
    const ended: Array<ReadonlyArray<string>> = [];
    for (const char of text) {
      const wasReturn = isAfterReturn;
      isAfterReturn = false;
      if (++size > maxRow) {
        throw new ImportFileBroken(
          `Row ${rows + 1} is longer than 1 MiB: is a quote (") in it opened and never closed?`,
        );
      }
      if (state === "quoted") {
        if (char === '"') state = "closing";
        else field += char;
      } else if (char === '"' && state === "closing") {
        field += char;
        state = "quoted";
      } else if (char === '"' && state === "start") state = "quoted";
      else if (char === delimiter) endField();
      else if (char === "\n" && wasReturn) size = 0;
      else if (char === "\n" || char === "\r") {
        endRow(ended);
        isAfterReturn = char === "\r";
      } else {
        field += char;
        state = "plain";
      }
    }
    return ended;
  };

  const end = (): Array<ReadonlyArray<string>> => {
    if (state === "quoted") {
      throw new ImportFileBroken(`A quote (") that opens in row ${rows + 1} is never closed.`);
    }
    const ended: Array<ReadonlyArray<string>> = [];
    endRow(ended);
    return ended;
  };
  return { push, end };
};

/** Fields as one row of a CSV, without its line end. */
export const csvRow = (fields: ReadonlyArray<string>, delimiter: string): string =>
  fields
    .map((field) =>
      /["\r\n]/.test(field) || field.includes(delimiter) ? `"${field.replaceAll('"', '""')}"` : field,
    )
    .join(delimiter);
