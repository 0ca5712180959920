import { deflateRawSync, inflateRawSync } from "node:zlib";
import { type DeviceImportResult, maxListedRows } from "./DeviceImport.ts";

const chunkLength = 65_536;

/**
 * The results of an import. They are kept compressed until the body has been read: failed rows, which are
 * much alike, then take a few bytes each, and a client that reads only after it has sent all waits for
 * nothing.
 */
export class ImportResults {
  /** The id of the activity's entry for the import. */
  readonly entryId: string;
  readonly summary = { created: 0, updated: 0, skipped: 0, failed: 0 };
  readonly #chunks: Array<Uint8Array> = [];
  #text = "";
  #isEmpty = true;

  constructor(entryId: string) {
    this.entryId = entryId;
  }

  /** The summary once these rows are added. */
  summaryWith(results: ReadonlyArray<DeviceImportResult>): typeof this.summary {
    const summary = { ...this.summary };
    for (const { status } of results) summary[status]++;
    return summary;
  }

  /** Adds the result of the next row. */
  add(result: DeviceImportResult): void {
    this.summary[result.status]++;
    if (result.index >= maxListedRows && result.status !== "failed") return;
    this.#text += (this.#isEmpty ? "" : ",") + JSON.stringify(result);
    this.#isEmpty = false;
    if (this.#text.length < chunkLength) return;
    this.#chunks.push(deflateRawSync(this.#text));
    this.#text = "";
  }

  /** The response, in pieces. */
  *pieces(): Generator<Uint8Array> {
    yield Buffer.from('{"data":{"results":[');
    for (const chunk of this.#chunks) yield inflateRawSync(chunk);
    yield Buffer.from(`${this.#text}],"summary":${JSON.stringify(this.summary)}}}`);
  }
}
