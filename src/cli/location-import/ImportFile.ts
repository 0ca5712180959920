/** A file of locations: its format, and its entries, read in pieces so that it may have any size. */
import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { open, stat } from "node:fs/promises";
import { extname } from "node:path";
import { diskProblem, errorCode } from "../../backup/DiskProblem.ts";
import { changedEntries, type FeatureChanges } from "./FeatureChanges.ts";
import { type CsvHead, delimiterOf, readCsv } from "./CsvReader.ts";
import { readGeoJsonLines } from "./GeoJsonLinesReader.ts";
import { readGeoJson } from "./GeoJsonReader.ts";
import { type EntryReader, type ImportEntry, ImportFileBroken } from "./ImportEntry.ts";

/** The formats of files of locations. */
export const importFormats = ["geojson", "ndjson", "csv"] as const;
/** A format of a file of locations. */
export type ImportFormat = (typeof importFormats)[number];

/** A file that was read once. */
export interface SurveyedFile {
  readonly path: string;
  readonly format: ImportFormat;
  readonly bytes: number;
  /** Number of features, lines or rows, after the changes. */
  readonly entries: number;
  /** The changes that `entries` counts, and that parts have. */
  readonly changes: FeatureChanges;
  /** SHA-256 of the file, in hex. */
  readonly digest: string;
  /** Null unless the file is a CSV. */
  readonly head: CsvHead | null;
}

const formatByExtension: Readonly<Record<string, ImportFormat>> = {
  ".csv": "csv",
  ".tsv": "csv",
  ".ndjson": "ndjson",
  ".jsonl": "ndjson",
  ".ndgeojson": "ndjson",
  ".geojsonl": "ndjson",
  ".geojsons": "ndjson",
};

const openingBytes = 65_536;
const byteOrderMark = Buffer.from([0xef, 0xbb, 0xbf]);

/** The first 64 KiB of the file, without a byte order mark. */
const readOpening = async (path: string): Promise<string> => {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(openingBytes), 0, openingBytes, 0);
    return buffer.toString("utf8", 0, bytesRead).replace(/^\uFEFF/, "");
  } finally {
    await file.close();
  }
};

const isFeature = (line: string): boolean => {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === "object" && value !== null && "type" in value && value.type === "Feature";
  } catch {
    return false;
  }
};

/** The format, by extension or else by content. @throws ImportFileBroken for a workbook */
const detectFormat = (path: string, opening: string): ImportFormat => {
  const known = formatByExtension[extname(path).toLowerCase()];
  if (known !== undefined) return known;
  const text = opening.trimStart();
  if (text.startsWith("\u001E")) return "ndjson";
  if (text.startsWith("PK\u0003\u0004")) {
    throw new ImportFileBroken(
      `${path} is a workbook or an archive: save its table as CSV (UTF-8), and import that.`,
    );
  }
  const [line = ""] = text.split("\n", 1);
  if (isFeature(line)) return "ndjson";
  return /^[^{[]*\blat(itude)?\b/i.test(line) ? "csv" : "geojson";
};

/** The bytes of the file without a byte order mark. `onPiece` receives every piece unchanged. */
async function* readPieces(path: string, onPiece?: (piece: Buffer) => void): AsyncGenerator<Buffer> {
  let isFirst = true;
  for await (const piece of createReadStream(path, { highWaterMark: 262_144 }) as AsyncIterable<Buffer>) {
    onPiece?.(piece);
    const hasMark = isFirst && piece.subarray(0, 3).equals(byteOrderMark);
    isFirst = false;
    yield hasMark ? piece.subarray(3) : piece;
  }
}

const readerOf = (format: ImportFormat, delimiter: string, onHead?: (head: CsvHead) => void): EntryReader => {
  if (format === "csv") return readCsv(delimiter, onHead);
  return format === "ndjson" ? readGeoJsonLines : readGeoJson;
};

const statFile = async (path: string) => {
  const stats = await stat(path).catch((error: unknown) => {
    throw new ImportFileBroken(
      errorCode(error) === "ENOENT"
        ? `There is no file ${path}.`
        : `The file ${path} cannot be read: ${diskProblem(error)}.`,
    );
  });
  if (!stats.isFile()) throw new ImportFileBroken(`${path} is not a file.`);
  return stats;
};

/**
 * Reads the file once, so that a broken file is refused before anything is imported. The format is detected
 * unless it is given. `onProgress` receives the bytes read and the size of the file.
 * @throws ImportFileBroken
 */
export const surveyFile = async (
  path: string,
  givenFormat: ImportFormat | undefined,
  changes: FeatureChanges,
  onProgress: (read: number, total: number) => void,
): Promise<SurveyedFile> => {
  const { size } = await statFile(path);
  const opening = await readOpening(path);
  const format = givenFormat ?? detectFormat(path, opening);
  const hash = createHash("sha256");
  let bytes = 0;
  let entries = 0;
  let head: CsvHead | null = null;
  const reader = readerOf(format, delimiterOf(opening), (found) => {
    head = found;
  });
  const pieces = readPieces(path, (piece) => {
    hash.update(piece);
    bytes += piece.length;
    onProgress(bytes, size);
  });
  for await (const batch of reader(pieces))
    for (const entry of batch) entries += changedEntries(entry, changes).length;
  return { path, format, bytes, entries, changes, digest: hash.digest("hex"), head };
};

/** Limits of one request. A file is always split the same way, so a resumed import has the same parts. */
const partLimits = { features: 10_000, bytes: 10 * 1_048_576 };

/** A part of a file: the entries of one request, including those that are refused without being sent. */
export type ImportPart = ReadonlyArray<ImportEntry>;

/** Splits the file into parts. @throws ImportFileBroken */
export async function* partsOf({ changes, format, head, path }: SurveyedFile): AsyncGenerator<ImportPart> {
  const reader = readerOf(format, head?.delimiter ?? ",");
  let part: Array<ImportEntry> = [];
  let bytes = 0;
  for await (const entries of reader(readPieces(path))) {
    for (const entry of entries.flatMap((each) => changedEntries(each, changes))) {
      const size = entry._tag === "Feature" ? entry.size : 0;
      if (part.length > 0 && (part.length === partLimits.features || bytes + size > partLimits.bytes)) {
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
