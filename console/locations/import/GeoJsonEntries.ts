/** The features of a GeoJSON FeatureCollection, without the whole text in memory. */
import { checkSize, type EntryReader, entryOf, FileBroken, type FileEntry } from "./FileEntries.ts";

const notGeoJson = new FileBroken(
  "The file is no GeoJSON FeatureCollection: it must be an object with the type FeatureCollection and a " +
    "list of features.",
);

const maxFrameChars = 1_048_576;

/** Finds the features in a text that arrives in pieces. */
class FeatureScanner {
  /** The text outside of the features: the members of the collection. */
  #frame = "";
  #feature = "";
  #depth = 0;
  #isText = false;
  #isEscaped = false;
  /** Whether the scanner is within the list of features. */
  #isList = false;
  #hasList = false;
  #number = 0;

  /** The features that end in a piece. */
  *push(piece: string): Generator<FileEntry> {
    let start = 0;
    for (let index = 0; index < piece.length; index++) {
      const char = piece[index];
      if (this.#isText) {
        if (this.#isEscaped) this.#isEscaped = false;
        else if (char === "\\") this.#isEscaped = true;
        else if (char === '"') this.#isText = false;
        continue;
      }
      if (char === '"') this.#isText = true;
      else if (char === "{" || char === "[") {
        this.#depth += 1;
        if (this.#depth === 2 && char === "[" && !this.#hasList) {
          this.#keep(piece.slice(start, index + 1));
          if (!/"features"\s*:\s*\[$/.test(this.#frame)) continue;
          [this.#isList, this.#hasList, start] = [true, true, index + 1];
        }
      } else if (char === "}" || char === "]") {
        this.#depth -= 1;
        if (this.#isList && this.#depth === 1) {
          yield* this.#end(piece.slice(start, index));
          [this.#isList, start] = [false, index];
        }
      } else if (char === "," && this.#isList && this.#depth === 2) {
        yield* this.#end(piece.slice(start, index));
        start = index + 1;
      }
    }
    this.#rest(piece.slice(start));
  }

  /** The members of the collection. @throws FileBroken */
  end(): Readonly<Record<string, unknown>> {
    let frame: unknown;
    try {
      frame = JSON.parse(this.#frame);
    } catch {
      throw new FileBroken("The file is not valid JSON, or it ends too early.");
    }
    if (typeof frame !== "object" || frame === null || Array.isArray(frame)) throw notGeoJson;
    return frame as Readonly<Record<string, unknown>>;
  }

  get number(): number {
    return this.#number;
  }

  get hasList(): boolean {
    return this.#hasList;
  }

  *#end(text: string): Generator<FileEntry> {
    const whole = (this.#feature + text).trim();
    this.#feature = "";
    if (whole !== "") yield entryOf(whole, ++this.#number);
  }

  #keep(text: string): void {
    this.#frame += text;
    if (this.#frame.length > maxFrameChars) throw notGeoJson;
  }

  #rest(text: string): void {
    if (!this.#isList) return this.#keep(text);
    this.#feature += text;
    checkSize(this.#feature.length, this.#number + 1);
  }
}

/** Reads a FeatureCollection, or one feature alone. */
export const readGeoJson: EntryReader = async function* (pieces) {
  const scanner = new FeatureScanner();
  for await (const piece of pieces) yield* scanner.push(piece);
  const frame = scanner.end();
  if (!scanner.hasList && frame["type"] === "Feature") {
    yield { number: 1, feature: frame, reason: null, size: JSON.stringify(frame).length };
    return;
  }
  if (frame["type"] !== "FeatureCollection" || !scanner.hasList) throw notGeoJson;
  if (
    frame["crs"] !== undefined &&
    frame["crs"] !== null &&
    !/CRS84|EPSG:+4326|EPSG:+4979/i.test(JSON.stringify(frame["crs"]))
  )
    throw new FileBroken(
      "The file has another coordinate reference system (its member crs). Convert it to WGS 84 first.",
    );
};
