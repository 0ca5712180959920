/** The first sheet of a workbook, read by a worker that ends after a time. */
import { ImportFileBroken } from "../../../src/client/location-files/ImportEntry.ts";
import type { TableRow } from "./ImportTable.ts";
import type { WorkbookAnswer } from "./WorkbookWorker.ts";

const maxBytes = 20_971_520;
const maxMillis = 20_000;
const asCsv = "save its table as CSV, or in parts, and import that.";

/** The rows of the first sheet with the numbers that the spreadsheet shows. @throws ImportFileBroken */
export const readWorkbook = async (file: Blob): Promise<ReadonlyArray<TableRow>> => {
  if (file.size > maxBytes) throw new ImportFileBroken(`The workbook is larger than 20 MB: ${asCsv}`);
  const bytes = new Uint8Array(await file.arrayBuffer());
  const worker = new Worker(WORKBOOK_WORKER_URL, { type: "module" });
  try {
    return await new Promise((resolve, reject) => {
      const fail = (sentence: string) => reject(new ImportFileBroken(sentence));
      setTimeout(() => fail(`The workbook takes too long to read: ${asCsv}`), maxMillis);
      worker.addEventListener("error", () => fail(`The workbook cannot be read: ${asCsv}`));
      worker.addEventListener("message", ({ data }: MessageEvent<WorkbookAnswer>) =>
        "rows" in data ? resolve(data.rows) : fail(data.problem),
      );
      worker.postMessage(bytes, [bytes.buffer]);
    });
  } finally {
    worker.terminate();
  }
};
