import { Context, Effect, Layer, type Scope, Stream } from "effect";
import { type HttpServerRequest, HttpServerResponse } from "effect/http";
import { setTimeout as delay } from "node:timers/promises";
import { LongReads } from "../../database/LongReads.ts";
import type { ServiceUnavailable } from "../../wire/ApiError.ts";
import { limitFileTransfer } from "../SlowClients.ts";
import { csvLine } from "./Csv.ts";
import type { CsvFile } from "./CsvFile.ts";

/** Milliseconds after each batch, in which the event loop serves requests. */
const pauseMillis = 5;

const encoder = new TextEncoder();
const ends = (lines: ReadonlyArray<string>): string => `${lines.join("\r\n")}\r\n`;

/** Sends CSV files, few at the same time, in the scope of their request. */
export class CsvExports extends Context.Service<
  CsvExports,
  {
    /**
     * The response with a file of a workspace, whose records are read as the client takes them. A failure in
     * between, or a client that is too slow, cuts the connection, so that a short file is never taken for a
     * whole one (contract X6a). @throws 503
     */
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
  make: Effect.map(LongReads, (longReads) => ({
    send: Effect.fnUntraced(function* (workspaceId: number, { heading, name, records }: CsvFile) {
      const batches = Stream.filter(
        yield* longReads.exported(workspaceId, records),
        (lines) => lines.length > 0,
      );
      yield* limitFileTransfer;
      const body = Stream.concat(Stream.succeed([csvLine(heading)]), batches);
      return HttpServerResponse.stream(
        Stream.mapEffect(body, (lines) =>
          // In real time, because a file must not wait for a test to move its clock.
          Effect.promise(async (signal) => {
            await delay(pauseMillis, undefined, { signal });
            return encoder.encode(ends(lines));
          }),
        ),
        {
          contentType: "text/csv; charset=utf-8",
          headers: {
            "content-disposition": `attachment; filename="${name}"`,
            "cache-control": "private, no-store",
          },
        },
      );
    }),
  })),
}) {
  static readonly layer = Layer.effect(CsvExports, CsvExports.make);
}
