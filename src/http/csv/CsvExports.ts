import { Context, Effect, Layer, type Scope, Semaphore, Stream } from "effect";
import { type HttpServerRequest, HttpServerResponse } from "effect/http";
import { ServiceUnavailable } from "../../wire/ApiError.ts";
import { limitFileTransfer } from "../SlowClients.ts";
import { csvLine } from "./Csv.ts";
import type { CsvFile } from "./CsvFile.ts";

/** Files that this process sends at the same time: each holds a connection to the database. */
const exportConcurrency = 4;
const maxWait = "15 seconds";
/** The `Retry-After` of a refusal, in seconds. */
const retryAfter = 30;

const encoder = new TextEncoder();
const ends = (lines: ReadonlyArray<string>): string => `${lines.join("\r\n")}\r\n`;

/** Sends CSV files, few at the same time, in the scope of their request. */
export class CsvExports extends Context.Service<
  CsvExports,
  {
    /**
     * The response with a file, whose records are read as the client takes them. A failure in between, or a
     * client that is too slow, cuts the connection, so that a short file is never taken for a whole one
     * (contract X6a). @throws 503
     */
    readonly send: (
      file: CsvFile,
    ) => Effect.Effect<
      HttpServerResponse.HttpServerResponse,
      ServiceUnavailable,
      HttpServerRequest.HttpServerRequest | Scope.Scope
    >;
  }
>()("waypost/http/csv/CsvExports", {
  make: Effect.map(Semaphore.make(exportConcurrency), (permits) => ({
    send: Effect.fnUntraced(function* ({ heading, name, records }: CsvFile) {
      yield* Effect.acquireRelease(
        Effect.timeoutOrElse(permits.take(1), {
          duration: maxWait,
          orElse: () =>
            Effect.fail(ServiceUnavailable.of("Too many files are being sent: try again later.", retryAfter)),
        }),
        () => permits.release(1),
        { interruptible: true },
      );
      yield* limitFileTransfer;
      const batches = Stream.filter(yield* records, (lines) => lines.length > 0);
      const body = Stream.concat(Stream.succeed([csvLine(heading)]), batches);
      return HttpServerResponse.stream(
        Stream.map(body, (lines) => encoder.encode(ends(lines))),
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
