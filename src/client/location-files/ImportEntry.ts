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

/** Reads entries from the bytes of a file, without a byte order mark. */
export interface EntryReader {
  /** The entries that end in a piece; some may come later. @throws ImportFileBroken */
  readonly push: (piece: Uint8Array) => ReadonlyArray<ImportEntry>;
  /** The entries that are left. @throws ImportFileBroken */
  readonly end: () => ReadonlyArray<ImportEntry>;
}

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

/** Joins pieces of bytes into new ones. */
export const joinBytes = (pieces: ReadonlyArray<Uint8Array>): Uint8Array => {
  const joined = new Uint8Array(pieces.reduce((sum, { length }) => sum + length, 0));
  let length = 0;
  for (const piece of pieces) {
    joined.set(piece, length);
    length += piece.length;
  }
  return joined;
};

/** The bytes of one entry, collected from several pieces of the file. */
export class EntryBuffer {
  #pieces: Array<Uint8Array> = [];
  #size = 0;

  /**
   * Adds bytes. `nameOf` names the entry for the error.
   * @throws ImportFileBroken if the entry is larger than 16 MiB
   */
  add(bytes: Uint8Array, nameOf: () => string): void {
    this.#size += bytes.length;
    if (this.#size > maxEntryBytes) throw new ImportFileBroken(`${nameOf()} is larger than 16 MiB.`);
    // A copy: the piece of the file would stay in memory otherwise.
    this.#pieces.push(new Uint8Array(bytes));
  }

  /** Returns the bytes and empties the buffer. */
  take(): Uint8Array {
    const bytes = joinBytes(this.#pieces);
    this.#pieces = [];
    this.#size = 0;
    return bytes;
  }
}
