import { type ImportedDevice, laterOver, type ParsedRow } from "./ImportedDevice.ts";

/** The most rows of a batch. */
const maxRows = 2_000;

/** A row of a batch; `reasons` is null for one that was parsed. */
interface BatchRow {
  readonly index: number;
  readonly installationId: string | null;
  readonly reasons: ReadonlyArray<string> | null;
}

/** Rows that are stored together. Of several rows of one installation, later ones replace what they give. */
export class ImportBatch {
  readonly rows: Array<BatchRow> = [];
  readonly devices = new Map<string, ImportedDevice>();
  readonly #first: number;

  /** `first` is the index of the first row. */
  constructor(first = 0) {
    this.#first = first;
  }

  add(row: ParsedRow): void {
    const index = this.#first + this.rows.length;
    if (!("device" in row)) {
      this.rows.push({ index, ...row });
      return;
    }
    const { installationId } = row.device;
    const earlier = this.devices.get(installationId);
    this.devices.set(installationId, earlier === undefined ? row.device : laterOver(earlier, row.device));
    this.rows.push({ index, installationId, reasons: null });
  }

  get isFull(): boolean {
    return this.rows.length >= maxRows;
  }

  /** The batch for the rows behind this one. */
  next(): ImportBatch {
    return new ImportBatch(this.#first + this.rows.length);
  }
}
