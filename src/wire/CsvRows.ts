import { CsvError, parse } from "csv-parse/browser/esm/sync";

/** A row cannot be read, nor anything behind it. */
export class CsvBroken extends Error {
  override readonly name = "CsvBroken";
  readonly problem: "long" | "quote" | "other";
  /** The number of the row, from 1. */
  readonly row: number;
  constructor({ code, message }: CsvError, row: number) {
    // The parser counts lines from the last piece.
    super(message.replace(/ at line \d+/, ""));
    this.row = row;
    this.problem =
      code === "CSV_MAX_RECORD_SIZE" ? "long" : code === "CSV_QUOTE_NOT_CLOSED" ? "quote" : "other";
  }
}

const encoder = new TextEncoder();
const [newline, carriageReturn] = [0x0a, 0x0d];

/**
 * Reads the rows of a CSV (RFC 4180) that arrives in pieces, in Node.js and in browsers. Rows end with CR, LF
 * or CR LF; empty lines are left out. Only a row that has not ended is kept.
 */
export class CsvRows {
  readonly #delimiter: string;
  readonly #maxRowLength: number;
  readonly #areQuotesRelaxed: boolean;
  #rest = new Uint8Array(0);
  #count = 0;

  /** With relaxed quotes, a quote within an unquoted field is a character. */
  constructor(delimiter: string, maxRowLength: number, areQuotesRelaxed: boolean) {
    this.#delimiter = delimiter;
    this.#maxRowLength = maxRowLength;
    this.#areQuotesRelaxed = areQuotesRelaxed;
  }

  /** The rows that end in a piece. @throws CsvBroken */
  push(piece: string): ReadonlyArray<ReadonlyArray<string>> {
    const before = this.#rest.length;
    const bytes = new Uint8Array(before + piece.length * 3);
    bytes.set(this.#rest);
    this.#rest = bytes.subarray(0, before + encoder.encodeInto(piece, bytes.subarray(before)).written);
    const end = Math.max(this.#rest.lastIndexOf(newline), this.#rest.lastIndexOf(carriageReturn)) + 1;
    // A row of so many bytes is too long, however many a character takes.
    const isTooLong = this.#rest.length > 4 * this.#maxRowLength;
    if (end <= before && !isTooLong) return [];
    return this.#parse(isTooLong && end === 0 ? this.#rest.length : end, false);
  }

  /** The last row, if no line end follows it. @throws CsvBroken */
  end(): ReadonlyArray<ReadonlyArray<string>> {
    return this.#parse(this.#rest.length, true);
  }

  /** The rows of the first `length` bytes of the rest. Line ends in an open quote belong to the next rows. */
  #parse(length: number, isLast: boolean): ReadonlyArray<ReadonlyArray<string>> {
    const rows: Array<ReadonlyArray<string>> = [];
    let used = 0;
    try {
      parse(this.#rest.subarray(0, length), {
        delimiter: this.#delimiter,
        record_delimiter: ["\r\n", "\n", "\r"],
        relax_column_count: true,
        relax_quotes: this.#areQuotesRelaxed,
        skip_empty_lines: true,
        max_record_size: this.#maxRowLength,
        on_record: (row: ReadonlyArray<string>, { bytes }) => {
          rows.push(row);
          used = bytes;
          return null;
        },
      });
    } catch (error) {
      if (!(error instanceof CsvError)) throw error;
      if (isLast || error.code !== "CSV_QUOTE_NOT_CLOSED")
        throw new CsvBroken(error, this.#count + rows.length + 1);
    }
    this.#count += rows.length;
    this.#rest = this.#rest.slice(used);
    return rows;
  }
}
