import { Context, Effect, Layer, type Scope, Stream } from "effect";
import { type HttpServerRequest, HttpServerResponse } from "effect/http";
import type { ServiceUnavailable } from "../../wire/ApiError.ts";
import { FileExports } from "../files/FileExports.ts";
import { csvLine } from "./Csv.ts";
import type { CsvFile } from "./CsvFile.ts";

const textOf = (lines: ReadonlyArray<string>): string => lines.map((line) => `${line}\r\n`).join("");

/** Sends CSV files in the scope of their request. */
export class CsvExports extends Context.Service<
  CsvExports,
  {
    /** The response with a file of a workspace, as `FileExports` sends it. @throws 503 */
    readonly send: (
      workspaceId: number,
      file: CsvFile,
    ) => Effect.Effect<
      HttpServerResponse.HttpServerResponse,
      ServiceUnavailable,
      HttpServerRequest.HttpServerRequest | Scope.Scope
    >;
  }
>()("waypost/http/csv/CsvExports", {
  make: Effect.map(FileExports, (files) => ({
    send: (workspaceId: number, { heading, name, records }: CsvFile) => {
      const first = textOf([csvLine(heading)]);
      const contentType = "text/csv; charset=utf-8";
      const headers = {
        "content-disposition": `attachment; filename="${name}"`,
        "cache-control": "private, no-store",
      };
      if (!Effect.isEffect(records))
        return Effect.succeed(HttpServerResponse.text(first + textOf(records), { contentType, headers }));
      const pieces = Effect.map(records, (batches) =>
        Stream.concat(Stream.succeed(first), Stream.map(batches, textOf)),
      );
      return files.send(workspaceId, pieces, { contentType, headers });
    },
  })),
}) {
  static readonly layer = Layer.effect(CsvExports, CsvExports.make);
}
