/** What a file of places holds, one entry for each feature, line or row. */
export type ImportEntry = ImportFeature | UnreadableEntry;

/** A feature as the server is to judge it. */
export interface ImportFeature {
  readonly _tag: "Feature";
  readonly feature: unknown;
  /** Bytes that it takes in a request, about. */
  readonly size: number;
  /** Its fields, where it is a row of a CSV. */
  readonly row: ReadonlyArray<string> | null;
}

/** What is no feature at all, and why, in sentences: refused before anything is sent. */
export interface UnreadableEntry {
  readonly _tag: "Unread";
  readonly text: string;
  readonly reasons: ReadonlyArray<string>;
  readonly row: ReadonlyArray<string> | null;
}

/** The file as a whole cannot be read; `message` says where and why in sentences. */
export class ImportFileBroken extends Error {
  override readonly name = "ImportFileBroken";
}

/** Most bytes of one feature, line or row: what takes more is no place. */
export const maxEntryBytes = 16 * 1_048_576;

/** The text of bytes, or null where they are no UTF-8. */
export const utf8 = (bytes: Uint8Array): string | null => {
  try {
    return decoder.decode(bytes);
  } catch {
    return null;
  }
};

const decoder = new TextDecoder("utf-8", { fatal: true });

/** Reads what arrives piece by piece. */
export interface EntryReader {
  /** The entries that end in this piece. @throws ImportFileBroken */
  readonly push: (piece: Buffer) => ReadonlyArray<ImportEntry>;
  /** The entries that the end of the file ends. @throws ImportFileBroken */
  readonly end: () => ReadonlyArray<ImportEntry>;
}
