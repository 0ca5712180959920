/** An entry of a file of locations: one for each feature, line or row. */
export type ImportEntry = ImportFeature | UnreadableEntry;

/** A feature to send. The server validates it. */
export interface ImportFeature {
  readonly _tag: "Feature";
  readonly feature: unknown;
  /** Approximate size in a request, in bytes. */
  readonly size: number;
  /** Its fields, if it is a row of a CSV. */
  readonly row: ReadonlyArray<string> | null;
}

/** An entry that is not a feature. It is refused without being sent; `reasons` are sentences. */
export interface UnreadableEntry {
  readonly _tag: "Unreadable";
  readonly text: string;
  readonly reasons: ReadonlyArray<string>;
  readonly row: ReadonlyArray<string> | null;
}

/** The file as a whole cannot be read. `message` says where and why, in sentences. */
export class ImportFileBroken extends Error {
  override readonly name = "ImportFileBroken";
}

/** Reads the entries of a file from its bytes, in batches. Throws ImportFileBroken. */
export type EntryReader = (pieces: AsyncIterable<Buffer>) => AsyncIterable<ReadonlyArray<ImportEntry>>;

/** Maximum size of one feature or line, in bytes. */
const maxEntryBytes = 16 * 1_048_576;

const decoder = new TextDecoder("utf-8", { fatal: true });

/** Decodes UTF-8; null if the bytes are not UTF-8. */
export const decodeUtf8 = (bytes: Uint8Array): string | null => {
  try {
    return decoder.decode(bytes);
  } catch {
    return null;
  }
};

/** The bytes of one entry, collected from several pieces of the file. */
export class EntryBuffer {
  #pieces: Array<Buffer> = [];
  #size = 0;

  /**
   * Adds bytes. `nameOf` names the entry for the error.
   * @throws ImportFileBroken if the entry is larger than 16 MiB
   */
  add(bytes: Buffer, nameOf: () => string): void {
    this.#size += bytes.length;
    if (this.#size > maxEntryBytes) throw new ImportFileBroken(`${nameOf()} is larger than 16 MiB.`);
    // A copy: the piece of the file would stay in memory otherwise.
    this.#pieces.push(Buffer.from(bytes));
  }

  /** Returns the bytes and empties the buffer. */
  take(): Buffer {
    const bytes = Buffer.concat(this.#pieces);
    this.#pieces = [];
    this.#size = 0;
    return bytes;
  }
}
