import { hasNeighbours } from "../../database/RecentWorkspaces.ts";
import { type ImportedDevice, laterOver, type ParsedRow } from "./ImportedDevice.ts";

/** The most rows of a batch: alone, and while other workspaces send requests. */
const maxRows = { alone: 2_000, besideOthers: 500 };

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

  /** Whether it has as many rows as a batch of the workspace may have now. */
  isFullFor(workspaceId: number): boolean {
    return this.rows.length >= (hasNeighbours(workspaceId) ? maxRows.besideOthers : maxRows.alone);
  }

  /** The batch for the rows behind this one. */
  next(): ImportBatch {
    return new ImportBatch(this.#first + this.rows.length);
  }
}
