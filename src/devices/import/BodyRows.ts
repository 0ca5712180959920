import { csvReader, lineReader, type ReadRow, type RowReader, UnreadableRest } from "./RowReaders.ts";

/** The rows of the body of an import, which arrives in pieces. */
export class BodyRows {
  /** Bytes of all pieces. */
  bytes = 0;
  /** Why not even the first row can be read; null if it can. */
  problem: string | null = null;
  readonly #contentType: string;
  readonly #decoder = new TextDecoder("utf-8", { fatal: true });
  #reader: RowReader | null = null;
  #isEmpty = true;
  #isUnreadable = false;

  constructor(contentType = "") {
    this.#contentType = contentType.split(";", 1)[0]?.trim().toLowerCase() ?? "";
  }

  /** The rows that end in the piece. If the rest cannot be read, the reason is the last row. */
  push(piece: Uint8Array): ReadonlyArray<ReadRow> {
    this.bytes += piece.length;
    return this.#read((text) => this.#readerOf(text).push(text), piece);
  }

  /** The rows that are left. */
  end(): ReadonlyArray<ReadRow> {
    return this.#read((text) => [...this.#readerOf(text).push(text), ...this.#readerOf(text).end()]);
  }

  #read(rowsOf: (text: string) => ReadonlyArray<ReadRow>, piece?: Uint8Array): ReadonlyArray<ReadRow> {
    if (this.#isUnreadable) return [];
    try {
      const rows = rowsOf(this.#decoded(piece));
      this.#isEmpty &&= rows.length === 0;
      return rows;
    } catch (error) {
      if (!(error instanceof UnreadableRest)) throw error;
      this.#isUnreadable = true;
      if (this.#isEmpty) this.problem = error.message;
      return [`${error.message} Nothing behind it was read.`];
    }
  }

  #decoded(piece?: Uint8Array): string {
    try {
      return this.#decoder.decode(piece, { stream: piece !== undefined });
    } catch {
      throw new UnreadableRest("The row is not UTF-8.");
    }
  }

  /** CSV by the content type, or without one by the first character. */
  #readerOf(text: string): RowReader {
    const isCsv = () =>
      this.#contentType === "" ? !text.trimStart().startsWith("{") : this.#contentType === "text/csv";
    this.#reader ??= isCsv() ? csvReader() : lineReader();
    return this.#reader;
  }
}
