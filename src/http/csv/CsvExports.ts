import { Context, Effect, Layer, Stream } from "effect";
import { HttpServerResponse } from "effect/http";
import { FileExports, type FileResponse } from "../files/FileExports.ts";
import { csvLine } from "./Csv.ts";
import type { CsvFile } from "./CsvFile.ts";

const textOf = (lines: ReadonlyArray<string>): string => lines.map((line) => `${line}\r\n`).join("");

/** Sends CSV files in the scope of their request. */
export class CsvExports extends Context.Service<
  CsvExports,
  {
    /** The response with a file of a workspace, as `FileExports` sends it. @throws 503 */
    readonly send: (workspaceId: number, file: CsvFile) => FileResponse;
  }
>()("waypost/http/csv/CsvExports", {
  make: Effect.map(FileExports, (files) => ({
    send: Effect.fnUntraced(function* (workspaceId: number, { heading, name, records }: CsvFile) {
      const first = csvLine(heading);
      const head = {
        contentType: "text/csv; charset=utf-8",
        headers: {
          "content-disposition": `attachment; filename="${name}"`,
          "cache-control": "private, no-store",
        },
      };
      if (!Effect.isEffect(records)) return HttpServerResponse.text(textOf([first, ...records]), head);
      const pieces = Effect.map(records, (batches) =>
        Stream.map(Stream.concat(Stream.succeed([first]), batches), textOf),
      );
      return yield* files.send(workspaceId, pieces, head);
    }),
  })),
}) {
  static readonly layer = Layer.effect(CsvExports, CsvExports.make);
}
