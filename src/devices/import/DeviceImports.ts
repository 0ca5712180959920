import { Clock, Context, Effect, Fiber, Layer, type Scope, Stream } from "effect";
import type { HttpServerRequest } from "effect/http";
import { Activity } from "../../activity/Activity.ts";
import { Settings } from "../../config/Settings.ts";
import { Database } from "../../database/Database.ts";
import { FairPermits } from "../../database/FairPermits.ts";
import { oneAtATime } from "../../database/SharedWork.ts";
import { withOwnDatabaseTime } from "../../database/pool/DatabaseTime.ts";
import {
  PayloadTooLarge,
  ServiceUnavailable,
  type Unprocessable,
  type UnsupportedMediaType,
} from "../../wire/ApiError.ts";
import { timeSlices } from "../../workers/TimeSlices.ts";
import { idAt } from "../../wire/Ids.ts";
import { badBody, bodyProblems, headRefusal } from "../../wire/RequestBody.ts";
import type { Tenant } from "../../workspaces/Workspace.ts";
import { endpointProblems } from "../PushEndpoint.ts";
import { BodyRows } from "./BodyRows.ts";
import { type DeviceImportResult, deviceImportRules } from "./DeviceImport.ts";
import { importedDevice } from "./ImportedDevice.ts";
import { ImportBatch } from "./ImportBatch.ts";
import { ImportResults } from "./ImportResults.ts";
import { ImportStore, type StoredDevice } from "./ImportStore.ts";
import type { ReadRow } from "./RowReaders.ts";

/** The piece of a body whose rows are read at once: less than a millisecond. */
const pieceBytes = 16_384;
const maxWait = "15 seconds";
const tooManyImports = ServiceUnavailable.of("Too many imports run already: try again later.", 30);

const needsPlatform = ["The platform is required for a new device: ios, android, web or other."];

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
      // Three imports at the same time, two of one workspace.
      const permits = new FairPermits(3, 2);
      const problemsOfPush = allowPrivateAddresses ? () => [] : endpointProblems;

      /** The results of the rows of a batch whose devices are stored. */
      const resultsOf = (batch: ImportBatch, stored: ReadonlyMap<string, StoredDevice>) => {
        const seen = new Set<string>();
        return batch.rows.map(({ index, installationId, reasons }): DeviceImportResult => {
          const found = installationId === null || reasons !== null ? undefined : stored.get(installationId);
          if (found === undefined) {
            const why = reasons ?? needsPlatform;
            return { index, status: "failed", installation_id: installationId, reasons: why };
          }
          const isFirst = !seen.has(installationId ?? "");
          seen.add(installationId ?? "");
          const status = found.isNew && isFirst ? "created" : "updated";
          return { index, status, installation_id: installationId, id: found.id, reasons: null };
        });
      };

      /** Stores a batch with the counts so far, which are one entry of the activity, and adds its results. */
      const finish = Effect.fnUntraced(function* (
        tenant: Tenant,
        batch: ImportBatch,
        results: ImportResults,
      ) {
        if (batch.rows.length === 0) return;
        const added = yield* database.atomically(
          Effect.gen(function* () {
            const none = new Map<string, StoredDevice>();
            const stored = batch.devices.size === 0 ? none : yield* store.store(tenant, batch.devices);
            const rows = resultsOf(batch, stored);
            const after = results.summaryWith(rows);
            if (after.created + after.updated > 0) {
              const resource = { type: "device", id: null, name: null } as const;
              const entry = { id: results.entryId, action: "import", resource, before: null, after } as const;
              yield* activity.record(tenant, entry);
            }
            return rows;
          }),
        );
        for (const row of added) results.add(row);
      });

      const read = Effect.fnUntraced(function* (
        tenant: Tenant,
        request: HttpServerRequest.HttpServerRequest,
      ) {
        const results = new ImportResults(idAt(yield* Clock.currentTimeMillis));
        const body = new BodyRows(request.headers["content-type"]);
        const yieldIfLong = timeSlices(tenant.workspaceId);
        let batch = new ImportBatch();
        let storing: Fiber.Fiber<void> = yield* Effect.forkChild(Effect.void);

        /** Stores the batch while the next rows are parsed. */
        const submit = Effect.gen(function* () {
          yield* Fiber.join(storing);
          const full = batch;
          batch = full.next();
          const stored = oneAtATime(tenant.workspaceId, finish(tenant, full, results));
          storing = yield* Effect.forkChild(withOwnDatabaseTime(stored));
        });

        const take = Effect.fnUntraced(function* (rows: ReadonlyArray<ReadRow>) {
          if (body.problem !== null) return yield* badBody(body.problem);
          for (const row of rows) {
            batch.add(
              typeof row === "string"
                ? { installationId: null, reasons: [row] }
                : importedDevice(row, problemsOfPush),
            );
            if (batch.isFullFor(tenant.workspaceId)) yield* submit;
            yield* yieldIfLong;
          }
        });

        yield* Stream.runForEach(
          Stream.mapError(request.stream, () => badBody(bodyProblems.broken)),
          Effect.fnUntraced(function* (chunk: Uint8Array) {
            if (body.bytes + chunk.length > deviceImportRules.maxBytes) {
              return yield* PayloadTooLarge.of(deviceImportRules.maxBytes);
            }
            for (let from = 0; from < chunk.length; from += pieceBytes) {
              yield* take(body.push(chunk.subarray(from, from + pieceBytes)));
            }
          }),
        );
        if (body.bytes === 0)
          return yield* badBody("The body is empty: send CSV, or a JSON object in each line.");
        yield* take(body.end());
        yield* submit;
        yield* Fiber.join(storing);
        return results;
      });

      return DeviceImports.of({
        run: Effect.fn("DeviceImports.run")(function* (tenant, request) {
          const refusal = headRefusal(request, deviceImportRules);
          if (refusal !== null) return yield* refusal;
          yield* Effect.acquireRelease(
            permits.take(tenant.workspaceId, (wait) =>
              Effect.timeoutOrElse(wait, { duration: maxWait, orElse: () => Effect.fail(tooManyImports) }),
            ),
            () => Effect.sync(() => permits.release(tenant.workspaceId)),
          );
          return yield* read(tenant, request);
        }),
      });
    }),
  ).pipe(Layer.provide(ImportStore.layer));
}
