/** A file of locations on disk, read in pieces so that it may have any size. */
import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { diskProblem, errorCode } from "../../backup/DiskProblem.ts";
import { ImportFileBroken } from "../../client/location-files/ImportEntry.ts";
import type { ImportFormat } from "../../client/location-files/FileFormat.ts";
import {
  type FileHead,
  type ImportPart,
  partsOf,
  readLocationFile,
} from "../../client/location-files/LocationFile.ts";
import { changedEntries, type FeatureChanges } from "./FeatureChanges.ts";

/** A file that was read once. */
export interface SurveyedFile extends FileHead {
  readonly path: string;
  /** Number of features, lines or rows, after the changes. */
  readonly entries: number;
  /** The changes that `entries` counts, and that parts have. */
  readonly changes: FeatureChanges;
  /** SHA-256 of the file, in hex. */
  readonly digest: string;
}

const readPieces = (path: string): AsyncIterable<Buffer> =>
  createReadStream(path, { highWaterMark: 262_144 });

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
  const hash = createHash("sha256");
  let bytes = 0;
  let entries = 0;
  let head: FileHead = { format: "geojson", csv: null };
  const pieces = async function* () {
    for await (const piece of readPieces(path)) {
      hash.update(piece);
      bytes += piece.length;
      onProgress(bytes, size);
      yield piece;
    }
  };
  const onHead = (found: FileHead) => void (head = found);
  for await (const batch of readLocationFile(pieces(), { name: path, format: givenFormat, onHead }))
    for (const entry of batch) entries += changedEntries(entry, changes).length;
  return { path, ...head, entries, changes, digest: hash.digest("hex") };
};

/** Limits of one request. A file is always split the same way, so a resumed import has the same parts. */
const partLimits = { features: 10_000, bytes: 10 * 1_048_576 };

/** Splits the file into parts, after the changes. @throws ImportFileBroken */
export const filePartsOf = ({ changes, format, path }: SurveyedFile): AsyncGenerator<ImportPart> => {
  const entries = async function* () {
    for await (const batch of readLocationFile(readPieces(path), { name: path, format }))
      yield batch.flatMap((entry) => changedEntries(entry, changes));
  };
  return partsOf(entries(), partLimits);
};
