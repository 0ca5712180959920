import { Context, Effect, Fiber, Layer, type Scope, Semaphore, Stream } from "effect";
import type { HttpServerRequest } from "effect/http";
import { Activity } from "../../activity/Activity.ts";
import { Settings } from "../../config/Settings.ts";
import { Database } from "../../database/Database.ts";
import { withOwnDatabaseTime } from "../../database/pool/DatabaseTime.ts";
import {
  PayloadTooLarge,
  ServiceUnavailable,
  type Unprocessable,
  type UnsupportedMediaType,
} from "../../wire/ApiError.ts";
import { timeSlices } from "../../workers/TimeSlices.ts";
import { badBody, bodyProblems, headRefusal } from "../../wire/RequestBody.ts";
import type { Tenant } from "../../workspaces/Workspace.ts";
import { endpointProblems } from "../PushEndpoint.ts";
import { deviceImportRules } from "./DeviceImport.ts";
import { importedDevice } from "./ImportedDevice.ts";
import { ImportBatch } from "./ImportBatch.ts";
import { ImportResults } from "./ImportResults.ts";
import { ImportStore, type StoredDevice } from "./ImportStore.ts";
import { csvReader, lineReader, type ReadRow, type RowReader, UnreadableRest } from "./RowReaders.ts";

/** The piece of a body that is parsed at once: a few milliseconds. */
const pieceBytes = 65_536;
/** Imports that this process reads at the same time. */
const importConcurrency = 2;
const maxWait = "15 seconds";

const needsPlatform = ["The platform is required for a new device: ios, android, web or other."];
const notUtf8 = "The row is not UTF-8.";

/** Imports devices of another system, with their addresses (contract Q4). */
export class DeviceImports extends Context.Service<
  DeviceImports,
  {
    /**
     * Creates and updates devices from the rows of a body, batch by batch, in flat memory. A bad row fails
     * alone. @throws 413, 415, 422, 503
     */
    readonly run: (
      tenant: Tenant,
      request: HttpServerRequest.HttpServerRequest,
    ) => Effect.Effect<
      ImportResults,
      PayloadTooLarge | UnsupportedMediaType | Unprocessable | ServiceUnavailable,
      Scope.Scope
    >;
  }
>()("waypost/devices/import/DeviceImports") {
  static readonly layer = Layer.effect(
    DeviceImports,
    Effect.gen(function* () {
      const { allowPrivateAddresses } = yield* Settings;
      const database = yield* Database;
      const store = yield* ImportStore;
      const activity = yield* Activity;
      const permits = yield* Semaphore.make(importConcurrency);
      const problemsOfPush = allowPrivateAddresses ? () => [] : endpointProblems;

      /** Stores a batch and adds the results of its rows. */
      const finish = Effect.fnUntraced(function* (
        tenant: Tenant,
        batch: ImportBatch,
        results: ImportResults,
      ) {
        const stored =
          batch.devices.size === 0
            ? new Map<string, StoredDevice>()
            : yield* store.store(tenant, batch.devices);
        const seen = new Set<string>();
        for (const { index, installationId, reasons } of batch.rows) {
          const found = installationId === null || reasons !== null ? undefined : stored.get(installationId);
          if (found === undefined) {
            const why = reasons ?? needsPlatform;
            results.add({ index, status: "failed", installation_id: installationId, reasons: why });
            continue;
          }
          const isFirst = !seen.has(installationId ?? "");
          seen.add(installationId ?? "");
          const status = found.isNew && isFirst ? "created" : "updated";
          results.add({ index, status, installation_id: installationId, id: found.id, reasons: null });
        }
      }, withOwnDatabaseTime);

      const read = Effect.fnUntraced(function* (
        tenant: Tenant,
        request: HttpServerRequest.HttpServerRequest,
      ) {
        const results = new ImportResults();
        const decoder = new TextDecoder("utf-8", { fatal: true });
        let reader: RowReader | null = null;
        let bytes = 0;
        let index = 0;
        let batch = new ImportBatch();
        let storing: Fiber.Fiber<void> | null = null;
        let isUnreadable = false;
        const yieldIfLong = timeSlices();

        /** Stores the batch while the next rows are parsed. */
        const submit = Effect.gen(function* () {
          if (storing !== null) yield* Fiber.join(storing);
          const full = batch;
          batch = new ImportBatch();
          storing = yield* Effect.forkChild(finish(tenant, full, results));
        });

        const take = Effect.fnUntraced(function* (rows: ReadonlyArray<ReadRow>) {
          for (const row of rows) {
            batch.add(
              index++,
              typeof row === "string"
                ? { installationId: null, reasons: [row] }
                : importedDevice(row, problemsOfPush),
            );
            if (batch.isFull) yield* submit;
          }
        });

        /** Takes rows; where the rest cannot be read, that is the result of its first row. */
        const taking = Effect.fnUntraced(function* (rows: () => Promise<ReadonlyArray<ReadRow>>) {
          const read = yield* Effect.tryPromise({ try: rows, catch: (error) => error }).pipe(
            Effect.catch((error) => {
              if (!(error instanceof UnreadableRest)) return Effect.die(error);
              if (index === 0 && batch.rows.length === 0) return Effect.fail(badBody(error.message));
              isUnreadable = true;
              return Effect.succeed([`${error.message} Nothing behind it was read.`]);
            }),
          );
          yield* take(read);
        });

        const decoded = (piece?: Uint8Array): string => {
          try {
            return decoder.decode(piece, { stream: piece !== undefined });
          } catch {
            throw new UnreadableRest(notUtf8);
          }
        };

        const push = (piece: Uint8Array) =>
          taking(async () => {
            const text = decoded(piece);
            reader ??= isCsv(request, text) ? csvReader() : lineReader();
            return reader.push(text);
          });

        yield* Stream.runForEach(
          Stream.mapError(request.stream, () => badBody(bodyProblems.broken)),
          Effect.fnUntraced(function* (chunk: Uint8Array) {
            bytes += chunk.length;
            if (bytes > deviceImportRules.maxBytes) {
              return yield* PayloadTooLarge.of(deviceImportRules.maxBytes);
            }
            for (let from = 0; from < chunk.length && !isUnreadable; from += pieceBytes) {
              yield* push(chunk.subarray(from, from + pieceBytes));
              yield* yieldIfLong;
            }
          }),
        );
        if (bytes === 0) return yield* badBody("The body is empty: send CSV, or a JSON object in each line.");
        const last: RowReader = reader ?? lineReader();
        if (!isUnreadable)
          yield* taking(async () => [...(await last.push(decoded())), ...(await last.end())]);
        yield* submit;
        if (storing !== null) yield* Fiber.join<void, never>(storing);
        return results;
      });

      /** One entry for the whole import. */
      const recordCounts = (tenant: Tenant, { summary }: ImportResults) =>
        activity.record(tenant, {
          action: "import",
          resource: { type: "device", id: null, name: null },
          before: null,
          after: summary,
        });

      return DeviceImports.of({
        run: Effect.fn("DeviceImports.run")(function* (tenant, request) {
          const refusal = headRefusal(request, deviceImportRules);
          if (refusal !== null) return yield* refusal;
          yield* Effect.acquireRelease(
            Effect.timeoutOrElse(permits.take(1), {
              duration: maxWait,
              orElse: () =>
                Effect.fail(ServiceUnavailable.of("Too many imports run already: try again later.", 30)),
            }),
            () => permits.release(1),
            { interruptible: true },
          );
          const results: ImportResults = yield* read(tenant, request);
          const { created, updated } = results.summary;
          if (created + updated > 0) {
            yield* withOwnDatabaseTime(database.atomically(recordCounts(tenant, results)));
          }
          return results;
        }),
      });
    }),
  ).pipe(Layer.provide(ImportStore.layer));
}

/** Whether a body is CSV: by its content type, or without one by its first character. */
const isCsv = (request: HttpServerRequest.HttpServerRequest, text: string): boolean => {
  const contentType = request.headers["content-type"]?.split(";", 1)[0]?.trim().toLowerCase() ?? "";
  return contentType === "" ? !text.trimStart().startsWith("{") : contentType === "text/csv";
};
