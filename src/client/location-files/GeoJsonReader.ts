import { referenceSystemProblem } from "../../locations/ReferenceSystem.ts";
import { JsonOverLimit, parseBounded } from "../../wire/BoundedJson.ts";
import {
  decodeUtf8,
  EntryBuffer,
  type EntryReader,
  type ImportEntry,
  ImportFileBroken,
} from "./ImportEntry.ts";

const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;
const openingBracket = 0x5b;
const isOpening = (byte: number): boolean => byte === 0x7b || byte === openingBracket;
const isClosing = (byte: number): boolean => byte === 0x7d || byte === 0x5d;
const isBlank = (byte: number): boolean => byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;

/** Maximum size of a collection without its features, in bytes. */
const maxFrameBytes = 1_048_576;

const broken = (message: string) => new ImportFileBroken(message);

const memberOf = (value: unknown, name: string): unknown =>
  typeof value === "object" && value !== null && Object.hasOwn(value, name)
    ? (value as { readonly [name: string]: unknown })[name]
    : undefined;

const typeOf = (value: unknown): unknown => memberOf(value, "type");

/**
 * Reads a GeoJSON FeatureCollection of any size, feature by feature, or a single feature. It only counts
 * brackets outside of strings. `JSON.parse` checks each feature, and at the end the frame: everything around
 * the features.
 */
export class GeoJsonReader implements EntryReader {
  #depth = 0;
  #isInString = false;
  #isEscaped = false;
  /** Offset of the current piece in the file. */
  #pieceOffset = 0;
  #list: "before" | "open" | "closed" = "before";
  /** Whether a comma of the list came last, so that a feature must follow. */
  #isFeatureDue = false;
  /** Index of the current feature in the piece; -1 between features. */
  #featureStart = -1;
  readonly #feature = new EntryBuffer();
  #count = 0;
  #frame = "";

  /** The features that end in this piece. @throws ImportFileBroken */
  push(piece: Uint8Array): ReadonlyArray<ImportEntry> {
    const entries: Array<ImportEntry> = [];
    if (this.#featureStart !== -1) this.#featureStart = 0;
    for (let index = 0; index < piece.length; index++) {
      const byte = piece[index] ?? 0;
      const isInList = this.#list === "open";
      if (this.#isInString) this.#scanString(byte);
      else if (isInList && this.#depth === 2 && (byte === comma || isClosing(byte))) {
        if (this.#featureStart !== -1) entries.push(this.#endFeature(piece, index));
        else if (byte === comma || this.#isFeatureDue) {
          throw broken(
            `A feature is missing before byte ${this.#pieceOffset + index}: there is an extra comma.`,
          );
        }
        this.#isFeatureDue = byte === comma;
        if (byte !== comma) this.#closeList(byte);
        continue;
      } else {
        if (isInList && this.#featureStart === -1 && !isBlank(byte)) {
          this.#featureStart = index;
          this.#isFeatureDue = false;
        }
        this.#scanStructure(byte);
      }
      if (!isInList) this.#addToFrame(byte);
    }
    if (this.#featureStart !== -1) {
      const offset = this.#pieceOffset + piece.length;
      this.#feature.add(piece.subarray(this.#featureStart), () => this.#featureName(offset));
    }
    this.#pieceOffset += piece.length;
    return entries;
  }

  /** The only feature of a file that is not a collection. @throws ImportFileBroken */
  end(): ReadonlyArray<ImportEntry> {
    if (this.#list === "open")
      throw broken(`The file is truncated after ${this.#count} features. Nothing was imported.`);
    let frame: unknown;
    try {
      // The frame was collected byte by byte.
      frame = parseBounded(decodeUtf8(Uint8Array.from(this.#frame, (byte) => byte.charCodeAt(0))) ?? "");
    } catch (error) {
      if (error instanceof JsonOverLimit) throw broken("The file nests deeper than 64 levels.");
      throw broken("The file is not JSON: give a GeoJSON FeatureCollection, one feature per line, or a CSV.");
    }
    const problem = referenceSystemProblem(memberOf(frame, "crs"));
    if (problem !== null) throw broken(problem);
    if (typeOf(frame) === "Feature")
      return [{ _tag: "Feature", feature: frame, size: this.#frame.length, row: null }];
    if (typeOf(frame) !== "FeatureCollection" || this.#list === "before") {
      throw broken(
        "The file is not a GeoJSON FeatureCollection: " +
          'it must be an object with the type "FeatureCollection" and a list "features".',
      );
    }
    return [];
  }

  #scanString(byte: number): void {
    if (this.#isEscaped) this.#isEscaped = false;
    else if (byte === backslash) this.#isEscaped = true;
    else if (byte === quote) this.#isInString = false;
  }

  #scanStructure(byte: number): void {
    if (byte === quote) this.#isInString = true;
    else if (isClosing(byte)) this.#depth--;
    else if (isOpening(byte)) {
      if (
        this.#depth === 1 &&
        byte === openingBracket &&
        /"features"\s*:\s*$/.test(this.#frame.slice(-200))
      ) {
        if (this.#list === "closed") throw broken('The file has two lists called "features".');
        this.#list = "open";
      }
      this.#depth++;
    }
  }

  #closeList(byte: number): void {
    this.#list = "closed";
    this.#depth--;
    this.#addToFrame(byte);
  }

  #endFeature(piece: Uint8Array, index: number): ImportEntry {
    const offset = this.#pieceOffset + index;
    const name = `feature ${this.#count} (counted from 0), which ends at byte ${offset}`;
    this.#feature.add(piece.subarray(this.#featureStart, index), () => this.#featureName(offset));
    this.#featureStart = -1;
    const bytes = this.#feature.take();
    const text = decodeUtf8(bytes);
    if (text === null)
      throw broken(`The file is not UTF-8 in ${name}. Save it as UTF-8 and import it again.`);
    this.#count++;
    try {
      return { _tag: "Feature", feature: parseBounded(text), size: bytes.length, row: null };
    } catch (error) {
      if (error instanceof JsonOverLimit) {
        const reasons = ["The feature nests deeper than 64 levels; leave the deep values out."];
        return { _tag: "Unreadable", text, reasons, row: null };
      }
      throw broken(`The file is not JSON in ${name}. Nothing was imported.`);
    }
  }

  #featureName(offset: number): string {
    return `Feature ${this.#count} (counted from 0), at byte ${offset},`;
  }

  #addToFrame(byte: number): void {
    this.#frame += String.fromCharCode(byte);
    if (this.#frame.length > maxFrameBytes) {
      throw broken(
        'The file is not a FeatureCollection: there is no list called "features" in its first MiB.',
      );
    }
  }
}
