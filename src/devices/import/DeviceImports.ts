import { Clock, Context, Effect, Fiber, Layer, Semaphore, Stream } from "effect";
import type { HttpServerRequest } from "effect/http";
import { randomBytes } from "node:crypto";
import { Activity } from "../../activity/Activity.ts";
import { Settings } from "../../config/Settings.ts";
import { Database } from "../../database/Database.ts";
import { hears } from "../../outbox/EventType.ts";
import { Outbox } from "../../outbox/Outbox.ts";
import { PayloadTooLarge, ServiceUnavailable } from "../../wire/ApiError.ts";
import { idAt } from "../../wire/Ids.ts";
import { badBody, bodyProblems, headRefusal } from "../../wire/RequestBody.ts";
import type { Tenant } from "../../workspaces/Workspace.ts";
import { endpointProblems } from "../PushEndpoint.ts";
import { deviceImportRules } from "./DeviceImport.ts";
import { DeviceImportsSql } from "./DeviceImportsSql.ts";
import { type ImportedDevice, importedDevice } from "./ImportedDevice.ts";
import { ImportBatch } from "./ImportBatch.ts";
import { ImportResults } from "./ImportResults.ts";
import { csvReader, lineReader, type ReadRow, type RowReader, UnreadableRest } from "./RowReaders.ts";

/** The piece of a body that is parsed at once: a few milliseconds. */
const pieceBytes = 65_536;
/** Imports that this process reads at the same time. */
const importConcurrency = 2;
const maxWait = "15 seconds";

const needsPlatform = ["The platform is required for a new device: ios, android, web or other."];
const notUtf8 = "The row is not UTF-8.";

/** A device that was stored. */
interface StoredDevice {
  readonly id: string;
  readonly isNew: boolean;
}

/** Imports devices of another system, with their addresses (contract Q4). */
export class DeviceImports extends Context.Service<DeviceImports>()("waypost/devices/import/DeviceImports", {
  make: Effect.gen(function* () {
    const { allowPrivateAddresses } = yield* Settings;
    const database = yield* Database;
    const repository = yield* DeviceImportsSql;
    const activity = yield* Activity;
    const outbox = yield* Outbox;
    const permits = yield* Semaphore.make(importConcurrency);
    const problemsOfPush = allowPrivateAddresses ? () => [] : endpointProblems;

    const recordRegistered = Effect.fnUntraced(function* (
      tenant: Tenant,
      ids: ReadonlyArray<string>,
      at: number,
    ) {
      if (!hears(yield* repository.webhookEvents(tenant), "device.registered")) return;
      const { environment, workspaceId } = tenant;
      const type = "device.registered" as const;
      const devices = yield* repository.shown(tenant, ids);
      yield* outbox.record(devices.map((data) => ({ workspaceId, environment, type, at, data })));
    });

    /** Stores the devices of a batch, and gives their ids and which are new. */
    const store = Effect.fnUntraced(function* (tenant: Tenant, devices: ReadonlyMap<string, ImportedDevice>) {
      const now = yield* Clock.currentTimeMillis;
      const stored = new Map<string, StoredDevice>();
      let left = [...devices.values()];
      // An installation that an app registers in between is known the second time.
      while (left.length > 0) {
        const known = new Map(
          (yield* repository.lockKnown(
            tenant,
            left.map(({ installationId }) => installationId),
          )).map((each) => [each.installation_id, each]),
        );
        const digests = randomBytes(32 * left.length);
        const digestAt = (index: number) => digests.subarray(32 * index, 32 * (index + 1));
        const changed = left.flatMap((device, index) => {
          const found = known.get(device.installationId);
          return found === undefined ? [] : [{ ...device, key: found.key, digest: digestAt(index) }];
        });
        const created = left.flatMap((device, index) =>
          known.has(device.installationId) || device.platform === undefined
            ? []
            : [{ ...device, id: idAt(now), digest: digestAt(index) }],
        );
        if (changed.length > 0) yield* repository.update(tenant, changed, now);
        for (const { id, installation_id } of known.values())
          stored.set(installation_id, { id, isNew: false });
        if (created.length === 0) break;
        const isApproved = tenant.environment === "production";
        const inserted = yield* repository.insert(tenant, created, isApproved, now);
        for (const { id, installation_id } of inserted) stored.set(installation_id, { id, isNew: true });
        yield* recordRegistered(
          tenant,
          inserted.map(({ id }) => id),
          now,
        );
        left = created.filter(({ installationId }) => !stored.has(installationId));
      }
      return stored;
    }, database.atomically);

    /** Stores a batch and adds the results of its rows. */
    const finish = Effect.fnUntraced(function* (tenant: Tenant, batch: ImportBatch, results: ImportResults) {
      const stored =
        batch.devices.size === 0 ? new Map<string, StoredDevice>() : yield* store(tenant, batch.devices);
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
    });

    const read = Effect.fnUntraced(function* (tenant: Tenant, request: HttpServerRequest.HttpServerRequest) {
      const results = new ImportResults();
      const decoder = new TextDecoder("utf-8", { fatal: true });
      let reader: RowReader | null = null;
      let bytes = 0;
      let index = 0;
      let batch = new ImportBatch();
      let storing: Fiber.Fiber<void> | null = null;
      let isUnreadable = false;

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
          }
        }),
      );
      if (bytes === 0) return yield* badBody("The body is empty: send CSV, or a JSON object in each line.");
      const last: RowReader = reader ?? lineReader();
      if (!isUnreadable) yield* taking(async () => [...(await last.push(decoded())), ...(await last.end())]);
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

    return {
      /**
       * Creates and updates devices from the rows of a body, batch by batch, in flat memory. A bad row fails
       * alone. @throws 413, 415, 422, 503
       */
      run: Effect.fn("DeviceImports.run")(function* (
        tenant: Tenant,
        request: HttpServerRequest.HttpServerRequest,
      ) {
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
        if (created + updated > 0) yield* database.atomically(recordCounts(tenant, results));
        return results;
      }),
    };
  }),
}) {
  static readonly layer = Layer.effect(DeviceImports, DeviceImports.make).pipe(
    Layer.provide(DeviceImportsSql.layer),
  );
}

/** Whether a body is CSV: by its content type, or without one by its first character. */
const isCsv = (request: HttpServerRequest.HttpServerRequest, text: string): boolean => {
  const contentType = request.headers["content-type"]?.split(";", 1)[0]?.trim().toLowerCase() ?? "";
  return contentType === "" ? !text.trimStart().startsWith("{") : contentType === "text/csv";
};
