/** A file of locations of any size: its format, its entries and the parts that are sent. */
import { type CsvHead, csvReader } from "./CsvReader.ts";
import { delimiterOf, formatByExtension, type ImportFormat } from "./FileFormat.ts";
import { geoJsonLinesReader } from "./GeoJsonLinesReader.ts";
import { GeoJsonReader } from "./GeoJsonReader.ts";
import { type EntryReader, type ImportEntry, ImportFileBroken, joinBytes } from "./ImportEntry.ts";

/** The format of a file, and the first row of a CSV; null for other formats. */
export interface FileHead {
  readonly format: ImportFormat;
  readonly csv: CsvHead | null;
}

const openingBytes = 65_536;

const isFeature = (line: string): boolean => {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === "object" && value !== null && "type" in value && value.type === "Feature";
  } catch {
    return false;
  }
};

/** The format, by extension or else by content. @throws ImportFileBroken for a workbook */
const detectFormat = (name: string, opening: string): ImportFormat => {
  const known = formatByExtension[/\.[^./\\]*$/.exec(name)?.[0].toLowerCase() ?? ""];
  if (known !== undefined) return known;
  const text = opening.trimStart();
  if (text.startsWith("\u001E")) return "ndjson";
  if (text.startsWith("PK\u0003\u0004")) {
    throw new ImportFileBroken(
      `${name} is a workbook or an archive: save its table as CSV (UTF-8), and import that.`,
    );
  }
  const [line = ""] = text.split("\n", 1);
  if (isFeature(line)) return "ndjson";
  return /^[^{[]*\blat(itude)?\b/i.test(line) ? "csv" : "geojson";
};

const isUtf16 = ([first, second]: Uint8Array): boolean =>
  (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);

/** How to read a file: its format is detected unless it is given. */
export interface ReadingOptions {
  /** Path or name of the file. */
  readonly name: string;
  readonly format?: ImportFormat | undefined;
  readonly onHead?: (head: FileHead) => void;
}

const readerOf = (opening: Uint8Array, { format: given, name, onHead }: ReadingOptions): EntryReader => {
  if (isUtf16(opening)) {
    throw new ImportFileBroken(`${name} is UTF-16: save it as UTF-8 and import it again.`);
  }
  const text = new TextDecoder().decode(opening.subarray(0, openingBytes));
  const format = given ?? detectFormat(name, text);
  if (format === "csv") return csvReader(delimiterOf(text), (csv) => onHead?.({ format, csv }));
  onHead?.({ format, csv: null });
  return format === "ndjson" ? geoJsonLinesReader() : new GeoJsonReader();
};

/** Reads the entries of a file in batches, in Node.js and in browsers. @throws ImportFileBroken */
export async function* readLocationFile(
  chunks: AsyncIterable<Uint8Array>,
  options: ReadingOptions,
): AsyncGenerator<ReadonlyArray<ImportEntry>> {
  let opening: Uint8Array = new Uint8Array(0);
  let reader: EntryReader | null = null;
  for await (const chunk of chunks) {
    if (reader === null) {
      opening = joinBytes([opening, chunk]);
      if (opening.length < openingBytes) continue;
      reader = readerOf(opening, options);
      yield reader.push(opening);
    } else yield reader.push(chunk);
  }
  if (reader === null) {
    reader = readerOf(opening, options);
    yield reader.push(opening);
  }
  yield reader.end();
}

/** A part of a file: the entries of one request, including those that are refused without being sent. */
export type ImportPart = ReadonlyArray<ImportEntry>;

/** Splits entries into parts of at most so many entries and, unless an entry is larger alone, bytes. */
export async function* partsOf(
  batches: AsyncIterable<ReadonlyArray<ImportEntry>>,
  limits: { readonly features: number; readonly bytes: number },
): AsyncGenerator<ImportPart> {
  let part: Array<ImportEntry> = [];
  let bytes = 0;
  for await (const entries of batches) {
    for (const entry of entries) {
      const size = entry._tag === "Feature" ? entry.size : 0;
      if (part.length > 0 && (part.length === limits.features || bytes + size > limits.bytes)) {
        yield part;
        part = [];
        bytes = 0;
      }
      part.push(entry);
      bytes += size;
    }
  }
  if (part.length > 0) yield part;
}
