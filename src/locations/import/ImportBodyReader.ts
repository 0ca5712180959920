import { importedLocation } from "../ImportedLocation.ts";
import { FeatureCollectionReader, type SentFeature } from "./FeatureCollectionReader.ts";
import type { ImportAnswer, ImportedFeature } from "./ImportMessages.ts";

const tooDeep = "The feature nests deeper than 64 levels; leave the deep values out.";

const importedFeature = ({ feature, isTooDeep }: SentFeature): ImportedFeature => {
  const imported = importedLocation(feature);
  if (!isTooDeep) return imported;
  const reasons = imported._tag === "RejectedFeature" ? imported.reasons : [];
  return { _tag: "RejectedFeature", name: imported.name, reasons: [...reasons, tooDeep] };
};

/** Reads the body of one import from its bytes. Each call answers with what it found. */
export class ImportBodyReader {
  readonly #body: number;
  readonly #decoder = new TextDecoder("utf-8", { fatal: true });
  readonly #collection = new FeatureCollectionReader((sent) => this.#features.push(importedFeature(sent)));
  #features: Array<ImportedFeature> = [];
  #isBlank = true;

  constructor(body: number) {
    this.#body = body;
  }

  /** The features that end in this piece; the frame if there are too many features. */
  push(bytes: Uint8Array): ImportAnswer {
    return this.#answering(() => {
      this.#read(this.#decode(bytes));
      if (this.#collection.hasTooMany)
        return { _tag: "read", body: this.#body, frame: this.#collection.frame };
      const features = this.#features;
      this.#features = [];
      return { _tag: "features", body: this.#body, features };
    });
  }

  /** The members around the features, which were all given before. */
  end(): ImportAnswer {
    return this.#answering(() => {
      this.#read(this.#decode());
      if (this.#isBlank) return { _tag: "unreadable", body: this.#body, problem: "empty" };
      return { _tag: "read", body: this.#body, frame: this.#collection.end() };
    });
  }

  #read(text: string): void {
    if (this.#isBlank && text.trim() !== "") this.#isBlank = false;
    this.#collection.push(text);
  }

  #decode(bytes?: Uint8Array): string {
    try {
      return this.#decoder.decode(bytes, { stream: bytes !== undefined });
    } catch {
      throw new NotUtf8();
    }
  }

  #answering(read: () => ImportAnswer): ImportAnswer {
    try {
      return read();
    } catch (error) {
      if (error instanceof NotUtf8) return { _tag: "unreadable", body: this.#body, problem: "utf8" };
      if (error instanceof SyntaxError) return { _tag: "unreadable", body: this.#body, problem: "json" };
      throw error;
    }
  }
}

class NotUtf8 extends Error {}
