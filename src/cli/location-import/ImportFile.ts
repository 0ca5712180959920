/** A file of places on disk: what form it has, and everything in it, read in pieces so that its size does not matter. */
import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { open, stat } from "node:fs/promises";
import { extname } from "node:path";
import { diskTrouble } from "../../backup/DiskFailure.ts";
import { collectionReader } from "./GeoJsonReader.ts";
import { type CsvHead, csvReader } from "./CsvReader.ts";
import { linesReader } from "./GeoJsonLinesReader.ts";
import { type ImportEntry, type EntryReader, ImportFileBroken } from "./ImportEntry.ts";

/** The forms that places come in. */
export const importFormats = ["geojson", "ndjson", "csv"] as const;
/** The form that the places of a file have. */
export type ImportFormat = (typeof importFormats)[number];

/** A file that was read through once. */
export interface SurveyedFile {
  readonly path: string;
  readonly format: ImportFormat;
  readonly bytes: number;
  /** How many features, lines or rows it has. */
  readonly entries: number;
  /** SHA-256 of all of it, in hex. */
  readonly digest: string;
  readonly head: CsvHead | null;
}

const byExtension: Readonly<Record<string, ImportFormat>> = {
  ".csv": "csv",
  ".tsv": "csv",
  ".ndjson": "ndjson",
  ".jsonl": "ndjson",
  ".ndgeojson": "ndjson",
  ".geojsonl": "ndjson",
  ".geojsons": "ndjson",
};

/** Bytes at the start that tell a collection from features line by line. */
const openingBytes = 65_536;

/** The form by the name of the file, and of a name that does not say it by what the file begins with. */
const formatOf = async (path: string): Promise<ImportFormat> => {
  const known = byExtension[extname(path).toLowerCase()];
  if (known !== undefined) return known;
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(openingBytes), 0, openingBytes, 0);
    const text = buffer
      .toString("utf8", 0, bytesRead)
      .replace(/^\uFEFF/, "")
      .trimStart();
    if (text.startsWith("\u001E")) return "ndjson";
    if (text.startsWith("PK\u0003\u0004")) {
      throw new ImportFileBroken(
        `${path} is a workbook or an archive: save its table as CSV (UTF-8), and import that.`,
      );
    }
    const [line = ""] = text.split("\n", 1);
    if (isFeature(line)) return "ndjson";
    return /^[^{[]*\blat(itude)?\b/i.test(line) ? "csv" : "geojson";
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

const readerOf = (format: ImportFormat, onHead: (head: CsvHead) => void): EntryReader => {
  if (format === "csv") return csvReader(onHead);
  return format === "ndjson" ? linesReader() : collectionReader();
};

const byteOrderMark = Buffer.from([0xef, 0xbb, 0xbf]);

/** Everything in the file, in its order; `onPiece` gets each piece of it as it is. @throws ImportFileBroken */
async function* readPlaces(
  { format, path }: Pick<SurveyedFile, "format" | "path">,
  onPiece: (piece: Buffer) => void,
  onHead: (head: CsvHead) => void = () => undefined,
): AsyncGenerator<ReadonlyArray<ImportEntry>> {
  const reader = readerOf(format, onHead);
  let isFirst = true;
  for await (const piece of createReadStream(path, { highWaterMark: 262_144 }) as AsyncIterable<Buffer>) {
    onPiece(piece);
    const isMarked = isFirst && piece.subarray(0, 3).equals(byteOrderMark);
    isFirst = false;
    yield reader.push(isMarked ? piece.subarray(3) : piece);
  }
  yield reader.end();
}

const codeOf = (error: unknown): unknown =>
  error instanceof Error && "code" in error ? error.code : undefined;

/**
 * Reads the file through, so that one that is broken is known before anything of it is imported. `onProgress` gets the bytes read and all.
 * @throws ImportFileBroken
 */
export const surveyFile = async (
  path: string,
  asked: ImportFormat | undefined,
  onProgress: (read: number, all: number) => void,
): Promise<SurveyedFile> => {
  const about = await stat(path).catch((error: unknown) => {
    throw new ImportFileBroken(
      codeOf(error) === "ENOENT"
        ? `There is no file ${path}.`
        : `The file ${path} cannot be read: ${diskTrouble(error)}.`,
    );
  });
  if (!about.isFile()) throw new ImportFileBroken(`${path} is no file.`);
  const format = asked ?? (await formatOf(path));
  const hash = createHash("sha256");
  let bytes = 0;
  let entries = 0;
  let head: CsvHead | null = null;
  const onPiece = (piece: Buffer): void => {
    hash.update(piece);
    bytes += piece.length;
    onProgress(bytes, about.size);
  };
  for await (const found of readPlaces({ format, path }, onPiece, (read) => void (head = read))) {
    entries += found.length;
  }
  return { path, format, bytes, entries, digest: hash.digest("hex"), head };
};

/** Most features and bytes of one request; files are always cut alike, so that a resumed import has the same parts. */
const partLimits = { features: 10_000, bytes: 10 * 1_048_576 };

/** A part of the file: what goes in one request, and what is refused without one. */
export type ImportPart = ReadonlyArray<ImportEntry>;

/** Cuts the file into parts. @throws ImportFileBroken */
export async function* partsOf(
  file: SurveyedFile,
  onPiece: (piece: Buffer) => void = () => undefined,
): AsyncGenerator<ImportPart> {
  let part: Array<ImportEntry> = [];
  let bytes = 0;
  for await (const entries of readPlaces(file, onPiece)) {
    for (const entry of entries) {
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
