import { Context, Effect, Layer, type Scope, Stream } from "effect";
import { type HttpServerRequest, HttpServerResponse } from "effect/http";
import { setTimeout as delay } from "node:timers/promises";
import { LongReads } from "../../database/LongReads.ts";
import type { ServiceUnavailable } from "../../wire/ApiError.ts";
import { limitFileTransfer } from "../connections/SlowClients.ts";
import { csvLine } from "./Csv.ts";
import type { CsvFile } from "./CsvFile.ts";

/**
 * Milliseconds after each slice, for each file that is being sent. All files together leave two thirds of the
 * time of the event loop to other requests.
 */
const pauseMillis = 3;

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
  make: Effect.gen(function* () {
    const longReads = yield* LongReads;
    let files = 0;
    const counted = (change: 1 | -1) =>
      Effect.sync(() => {
        files += change;
      });
    const send = Effect.fnUntraced(function* (workspaceId: number, { heading, name, records }: CsvFile) {
      yield* limitFileTransfer;
      const rows = yield* longReads.exported(workspaceId, records);
      yield* Effect.acquireRelease(counted(1), () => counted(-1));
      const batches = Stream.filter(rows, (lines) => lines.length > 0);
      const body = Stream.concat(Stream.succeed([csvLine(heading)]), batches);
      return HttpServerResponse.stream(
        Stream.mapEffect(body, (lines) =>
          // In real time, because a file must not wait for a test to move its clock.
          Effect.promise(async (signal) => {
            await delay(files * pauseMillis, undefined, { signal });
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
    });
    return { send };
  }),
}) {
  static readonly layer = Layer.effect(CsvExports, CsvExports.make);
}
