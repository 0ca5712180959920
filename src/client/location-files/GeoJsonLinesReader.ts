import { JsonOverLimit, parseBounded } from "../../wire/BoundedJson.ts";
import { decodeUtf8, EntryBuffer, type EntryReader, type ImportEntry } from "./ImportEntry.ts";

const newline = 0x0a;

const unreadable = (text: string, reason: string): ImportEntry => ({
  _tag: "Unreadable",
  text,
  reasons: [reason],
  row: null,
});

const tooDeep = "it nests deeper than 64 levels.";

/** The entry of a line; none if the line is blank. */
const entriesOf = (bytes: Uint8Array): ReadonlyArray<ImportEntry> => {
  const decoded = decodeUtf8(bytes);
  if (decoded === null)
    return [unreadable(new TextDecoder("latin1").decode(bytes), "The line is not UTF-8.")];
  // RFC 8142 puts a separator before each feature.
  const text = decoded.startsWith("\u001E") ? decoded.slice(1) : decoded;
  if (text.trim() === "") return [];
  try {
    return [{ _tag: "Feature", feature: parseBounded(text), size: bytes.length, row: null }];
  } catch (error) {
    const problem = error instanceof JsonOverLimit ? tooDeep : "it is not JSON.";
    return [unreadable(text, `The line must be one GeoJSON feature; ${problem}`)];
  }
};

/** Reads newline-delimited GeoJSON, also with separators (RFC 8142). A bad line is refused alone. */
export const geoJsonLinesReader = (): EntryReader => {
  const buffer = new EntryBuffer();
  let line = 1;
  const lineName = () => `Line ${line}`;
  return {
    push: (piece) => {
      const entries: Array<ImportEntry> = [];
      let start = 0;
      for (let end = piece.indexOf(newline); end !== -1; end = piece.indexOf(newline, start)) {
        buffer.add(piece.subarray(start, end), lineName);
        entries.push(...entriesOf(buffer.take()));
        start = end + 1;
        line++;
      }
      buffer.add(piece.subarray(start), lineName);
      return entries;
    },
    end: () => entriesOf(buffer.take()),
  };
};
