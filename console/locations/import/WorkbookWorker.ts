/** The worker that reads a workbook, so that a page never waits for it. */
import { ImportFileBroken } from "../../../src/client/location-files/ImportEntry.ts";
import type { TableRow } from "./ImportTable.ts";
import { workbookRows } from "./WorkbookRows.ts";

/** The worker's answer: the rows, or a sentence. */
export type WorkbookAnswer = { readonly rows: ReadonlyArray<TableRow> } | { readonly problem: string };

addEventListener("message", ({ data }: MessageEvent<Uint8Array>) => {
  const answer = (content: WorkbookAnswer) => postMessage(content);
  workbookRows(data).then(
    (rows) => answer({ rows }),
    (error: unknown) => answer({ problem: error instanceof ImportFileBroken ? error.message : "" }),
  );
});
