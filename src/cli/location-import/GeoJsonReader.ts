import { parseShallow } from "../../wire/ShallowJson.ts";
import { maxEntryBytes, type ImportEntry, type EntryReader, ImportFileBroken, utf8 } from "./ImportEntry.ts";

const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;
const isOpening = (byte: number): boolean => byte === 0x7b || byte === 0x5b;
const isClosing = (byte: number): boolean => byte === 0x7d || byte === 0x5d;
const isBlank = (byte: number): boolean => byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;

/** Most bytes of a collection beside its features. */
const maxFrameBytes = 1_048_576;

const broken = (message: string) => new ImportFileBroken(message);

/**
 * Reads a GeoJSON FeatureCollection feature by feature, so that its size does not matter. It only counts brackets outside of strings;
 * whether a feature is JSON is for `JSON.parse` to say, and so it is of the frame, which is all that is around the features.
 */
export const collectionReader = (): EntryReader => {
  let depth = 0;
  let inString = false;
  let isEscaped = false;
  let offset = 0;
  let count = 0;
  /** Whether the list of features is open; null once it was closed. */
  let inFeatures: boolean | null = false;
  /** Whether something must come: after a comma of the list. */
  let isAwaited = false;
  /** Where the entry at hand began in this piece; -1 between two. */
  let from = -1;
  let pieces: Array<Buffer> = [];
  let held = 0;
  let frame = "";
  /** The last bytes of the frame without blanks, to see that a list is that of the features. */
  const tellsFeatures = (): boolean => /"features"\s*:\s*$/.test(frame.slice(-200));

  const keep = (bytes: Buffer): void => {
    held += bytes.length;
    if (held > maxEntryBytes)
      throw broken(`Feature ${count} (counted from 0) is larger than 16 MiB, at byte ${offset}.`);
    pieces.push(Buffer.from(bytes));
  };

  const take = (): ImportEntry => {
    const text = utf8(Buffer.concat(pieces));
    const size = held;
    const where = `feature ${count} (counted from 0), which ends at byte ${offset}`;
    if (text === null)
      throw broken(`The file is not UTF-8 in ${where}. Save it as UTF-8 and import it again.`);
    pieces = [];
    held = 0;
    count++;
    try {
      return { _tag: "Feature", feature: parseShallow(text), size, row: null };
    } catch {
      throw broken(`The file is no JSON in ${where}: nothing of it was imported.`);
    }
  };

  const addToFrame = (byte: number): void => {
    frame += String.fromCharCode(byte);
    if (frame.length > maxFrameBytes)
      throw broken('The file is no FeatureCollection: there is no list called "features" in its first MiB.');
  };

  const push = (piece: Buffer): ReadonlyArray<ImportEntry> => {
    const entries: Array<ImportEntry> = [];
    const start = offset;
    if (from !== -1) from = 0;
    const finish = (index: number): void => {
      if (from === -1) {
        if (isAwaited) throw broken(`A feature is missing before byte ${offset}: there is a comma too many.`);
        return;
      }
      keep(piece.subarray(from, index));
      entries.push(take());
      from = -1;
    };
    for (let index = 0; index < piece.length; index++) {
      const byte = piece[index] ?? 0;
      offset = start + index;
      const isInside = inFeatures === true;
      if (inString) {
        if (isEscaped) isEscaped = false;
        else if (byte === backslash) isEscaped = true;
        else if (byte === quote) inString = false;
        if (!isInside) addToFrame(byte);
        continue;
      }
      if (isInside && depth === 2) {
        if (byte === comma) {
          if (from === -1 && !isAwaited)
            throw broken(`A feature is missing before byte ${offset}: there is a comma too many.`);
          finish(index);
          isAwaited = true;
          continue;
        }
        if (isClosing(byte)) {
          finish(index);
          inFeatures = null;
          depth--;
          addToFrame(byte);
          continue;
        }
        if (from === -1 && !isBlank(byte)) {
          from = index;
          isAwaited = false;
        }
      }
      if (byte === quote) inString = true;
      else if (isOpening(byte)) {
        if (depth === 1 && byte === 0x5b && tellsFeatures()) {
          if (inFeatures === null) throw broken('The file has two lists called "features".');
          inFeatures = true;
          addToFrame(byte);
        }
        depth++;
      } else if (isClosing(byte)) depth--;
      if (!isInside && inFeatures !== true) addToFrame(byte);
    }
    offset = start + piece.length;
    if (from !== -1) keep(piece.subarray(from));
    return entries;
  };

  const end = (): ReadonlyArray<ImportEntry> => {
    if (inFeatures === true)
      throw broken(
        `The file breaks off after ${count} features: it is not whole. Nothing of it was imported.`,
      );
    let around: unknown;
    try {
      // It was gathered byte by byte.
      around = parseShallow((utf8(Buffer.from(frame, "latin1")) ?? "").replace(/^\uFEFF/, ""));
    } catch {
      throw broken("The file is no JSON: give a GeoJSON FeatureCollection, one feature a line, or a CSV.");
    }
    const isOne =
      typeof around === "object" && around !== null && "type" in around && around.type === "Feature";
    if (isOne) {
      count++;
      return [{ _tag: "Feature", feature: around, size: frame.length, row: null }];
    }
    const isCollection =
      typeof around === "object" &&
      around !== null &&
      "type" in around &&
      around.type === "FeatureCollection";
    if (!isCollection || inFeatures !== null) {
      throw broken(
        'The file is no GeoJSON FeatureCollection: it must be an object with the type "FeatureCollection" and a list "features".',
      );
    }
    return [];
  };
  return { push, end };
};
