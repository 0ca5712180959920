import { parseShallow } from "../../wire/ShallowJson.ts";
import { maxEntryBytes, type ImportEntry, type EntryReader, ImportFileBroken, utf8 } from "./ImportEntry.ts";

const recordSeparator = 0x1e;

const entryOf = (line: Buffer): ReadonlyArray<ImportEntry> => {
  // RFC 8142 puts a separator before each feature.
  const bytes = line[0] === recordSeparator ? line.subarray(1) : line;
  const text = utf8(bytes);
  if (text === null) {
    return [
      { _tag: "Unread", text: bytes.toString("latin1"), reasons: ["The line is not UTF-8."], row: null },
    ];
  }
  if (text.trim() === "") return [];
  try {
    return [{ _tag: "Feature", feature: parseShallow(text), size: bytes.length, row: null }];
  } catch {
    const reasons = ["The line must be one GeoJSON feature; this is no JSON."];
    return [{ _tag: "Unread", text, reasons, row: null }];
  }
};

/** Reads newline-delimited GeoJSON, with or without RFC 8142's separators: a line that is no JSON is refused alone. */
export const linesReader = (): EntryReader => {
  let rest: Array<Buffer> = [];
  let held = 0;
  let lines = 0;
  const keep = (bytes: Buffer): void => {
    held += bytes.length;
    if (held > maxEntryBytes) throw new ImportFileBroken(`Line ${lines + 1} is larger than 16 MiB.`);
    rest.push(Buffer.from(bytes));
  };
  const take = (): ReadonlyArray<ImportEntry> => {
    const line = Buffer.concat(rest);
    rest = [];
    held = 0;
    lines++;
    return entryOf(line);
  };
  return {
    push: (piece) => {
      const entries: Array<ImportEntry> = [];
      let from = 0;
      for (let to = piece.indexOf(10); to !== -1; to = piece.indexOf(10, from)) {
        keep(piece.subarray(from, to));
        entries.push(...take());
        from = to + 1;
      }
      keep(piece.subarray(from));
      return entries;
    },
    end: take,
  };
};
