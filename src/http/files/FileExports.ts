import { Context, Effect, Layer, type Scope, Stream } from "effect";
import { HttpServerRequest, HttpServerResponse } from "effect/http";
import { setTimeout as delay } from "node:timers/promises";
import { LongReads } from "../../database/LongReads.ts";
import { CurrentDatabaseTime } from "../../database/pool/DatabaseTime.ts";
import { OnLongConnections, onLongConnections } from "../../database/pool/LongConnections.ts";
import type { ServiceUnavailable } from "../../wire/ApiError.ts";
import { limitFileTransfer } from "../connections/SlowClients.ts";
import { fileLimits, fullSpoolLimits, queryLimits } from "../connections/TransferRate.ts";
import { pageBytes, Spool } from "./Spool.ts";
import { SpooledFile } from "./SpooledFile.ts";

/** Opens a file on connections for long reads, and gives its pieces. It may be opened twice. */
export type FilePieces = Effect.Effect<Stream.Stream<string>, never, Scope.Scope>;

/** The response with a file. */
export type FileResponse = Effect.Effect<
  HttpServerResponse.HttpServerResponse,
  ServiceUnavailable,
  HttpServerRequest.HttpServerRequest | Scope.Scope
>;

/** How the response begins. */
export interface FileHead {
  readonly contentType: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * Milliseconds after each piece, for each file that is being read. All files together leave two thirds of the
 * time of the event loop to other requests.
 */
const pauseMillis = 3;

/** Characters of a file that needs no permit: a batch of most lists. */
const smallLength = pageBytes;

/** Sends files that queries read, few at the same time, in the scope of their request. */
export class FileExports extends Context.Service<
  FileExports,
  {
    /**
     * The response with a file of a workspace. Its query runs at the speed of the database: what the client
     * has not read waits in the spool. A failure in between, or a client that is too slow, cuts the
     * connection, so that a short file is never taken for a whole one (contract X6a). @throws 503
     */
    readonly send: (workspaceId: number, pieces: FilePieces, head: FileHead) => FileResponse;
  }
>()("waypost/http/files/FileExports", {
  make: Effect.gen(function* () {
    const longReads = yield* LongReads;
    const spool = yield* Spool;
    let files = 0;

    /** Opens the file, and gives each piece to `use` until it is false. */
    const forPieces = (pieces: FilePieces, use: (piece: string) => Effect.Effect<boolean>) =>
      Effect.flatMap(onLongConnections(pieces), (stream) =>
        stream.pipe(
          Stream.mapEffect(use),
          Stream.takeWhile((isMore) => isMore),
          Stream.runDrain,
          Effect.provideService(OnLongConnections, false),
        ),
      ).pipe(Effect.scoped, Effect.provideService(CurrentDatabaseTime, null));

    /** The text of a file; null if it is not small. */
    const smallText = (pieces: FilePieces) =>
      Effect.suspend(() => {
        let text = "";
        return Effect.map(
          forPieces(pieces, (piece) => Effect.sync(() => (text += piece).length <= smallLength)),
          () => (text.length <= smallLength ? text : null),
        );
      });

    const wholeFile = (pieces: FilePieces, file: SpooledFile<ServiceUnavailable>) =>
      Effect.acquireUseRelease(
        Effect.sync(() => files++),
        () =>
          forPieces(pieces, (piece) =>
            Effect.andThen(
              file.write(piece),
              // In real time, because a file must not wait for a test to move its clock.
              Effect.promise((signal) => delay(files * pauseMillis, true, { signal })),
            ),
          ),
        () => Effect.sync(() => files--),
      );

    return {
      send: Effect.fnUntraced(function* (
        workspaceId: number,
        pieces: FilePieces,
        { contentType, headers = {} }: FileHead,
      ) {
        const request = yield* HttpServerRequest.HttpServerRequest;
        const file = new SpooledFile<ServiceUnavailable>(spool, workspaceId, () =>
          limitFileTransfer(request, fullSpoolLimits),
        );
        limitFileTransfer(request, queryLimits);
        yield* Effect.addFinalizer(() => Effect.sync(() => file.close()));
        const written = longReads.exported(
          workspaceId,
          Effect.as(wholeFile(pieces, file), ""),
          smallText(pieces),
        );
        yield* Effect.exit(Effect.flatMap(written, file.write)).pipe(
          Effect.map((exit) => {
            limitFileTransfer(request, fileLimits);
            file.end(Effect.as(exit, null));
          }),
          Effect.forkIn(yield* Effect.scope),
        );
        const first = yield* file.read;
        const rest = Stream.unfold(null, () =>
          Effect.map(file.read, (bytes) => (bytes === null ? undefined : ([bytes, null] as const))),
        );
        const body = Stream.concat(Stream.fromIterable(first === null ? [] : [first]), rest);
        return HttpServerResponse.stream(body, { contentType, headers });
      }),
    };
  }),
}) {
  static readonly layer = Layer.effect(FileExports, FileExports.make).pipe(Layer.provide(Spool.layer));
}
