import { Context, Effect, Layer, Scope, Stream } from "effect";
import type { HttpServerRequest } from "effect/http";
import { outsideTransaction } from "../../http/OutsideTransaction.ts";
import { discardRest } from "../../http/connections/UnreadBody.ts";
import { PayloadTooLarge, ServiceUnavailable, Unprocessable } from "../../wire/ApiError.ts";
import { counter } from "../../telemetry/KnownSeries.ts";
import { parseFields } from "../../wire/ParsedBody.ts";
import { badBody, bodyProblems, headRefusal } from "../../wire/RequestBody.ts";
import { FairQueue, type FairQueueLimits } from "../../workers/FairQueue.ts";
import type { TenantKey } from "../../workspaces/Environment.ts";
import { FeatureCollection, tooManyFeatures } from "../LocationImport.ts";
import { importBodyRules } from "../LocationsApi.ts";
import { importedLocation } from "../ImportedLocation.ts";
import { geometryFeature } from "../LocationEdit.ts";
import { referenceSystemProblem } from "../ReferenceSystem.ts";
import type { CollectionFrame } from "./FeatureCollectionReader.ts";
import type { ImportAnswer, ImportedFeature } from "./ImportMessages.ts";
import { ImportThread, type ThreadBody, type ThreadLimits } from "./ImportThread.ts";

/** Limits of concurrent imports. Times are real time, also where a test controls the clock. */
export interface ImportReaderLimits extends FairQueueLimits, ThreadLimits {
  /** Milliseconds for which an import waits for others. */
  readonly waitMillis: number;
}

/** The limits in production. */
export const ImportLimits = Context.Reference<ImportReaderLimits>("waypost/locations/ImportLimits", {
  defaultValue: () => ({
    maxRunning: 6,
    maxRunningOfOwner: 2,
    maxWaiting: Infinity,
    maxWaitingOfOwner: 20,
    waitMillis: 60_000,
    answerMillis: 30_000,
    idleMillis: 10_000,
    heapMegabytes: 256,
  }),
});

/** The features of a body, and the effect that lets the next import begin. */
export interface ReadImport {
  readonly features: ReadonlyArray<ImportedFeature>;
  readonly release: Effect.Effect<void>;
}

const countImport = counter(
  "waypost_location_imports_total",
  "Bodies of location imports, by outcome: read, refused (not GeoJSON, too large, or not whole), " +
    "turned_away (too many of one environment waited), failed (the import thread ended).",
  { outcome: ["read", "refused", "turned_away", "failed"] },
);

/** The piece of a body that is sent to the thread at once: about a millisecond of its time. */
const pieceBytes = 65_536;

/** The text of a geometry that is read without the thread: a few milliseconds at most. */
const maxInlineChars = 4_096;

const busy = ServiceUnavailable.of(
  "Too many imports of this environment run already: send this one again in a few seconds.",
  5,
);
const unreadable = ServiceUnavailable.of(
  "The service cannot read imports at the moment: try again in a few seconds.",
);

/**
 * Reads the bodies of imports in a thread, piece by piece as they arrive, so that none holds the event loop
 * or is kept as a whole (contract B3, G3, G4). Few are read at a time, and few of one environment.
 */
export class ImportReader extends Context.Service<ImportReader>()("waypost/locations/ImportReader", {
  make: Effect.gen(function* () {
    const limits = yield* ImportLimits;
    const queue = new FairQueue(limits);
    const thread = new ImportThread(limits);
    yield* Effect.addFinalizer(() => Effect.sync(thread.stop));

    /** Waits for a slot; gives its release, which the scope also calls. */
    const takeSlot = Effect.fnUntraced(function* ({ environment, workspaceId }: TenantKey) {
      const granted = Promise.withResolvers<void>();
      const release = yield* Effect.acquireRelease(
        Effect.sync(() => {
          const job = { owner: `${workspaceId}/${environment}`, start: granted.resolve };
          return queue.add(job) ? Effect.sync(() => queue.remove(job)) : null;
        }),
        (leave) => leave ?? Effect.void,
      );
      if (release === null)
        return yield* Effect.andThen(countImport({ outcome: "turned_away" }), Effect.fail(busy));
      yield* Effect.callback<void, ServiceUnavailable>((resume) => {
        const timer = setTimeout(() => resume(Effect.fail(busy)), limits.waitMillis);
        void granted.promise.then(() => resume(Effect.void));
        return Effect.sync(() => clearTimeout(timer));
      }).pipe(Effect.tapError(() => countImport({ outcome: "turned_away" })));
      return release;
    });

    /** The features that a part of a body has; fails if the body is refused. */
    const ask = Effect.fnUntraced(function* (answerOf: () => Promise<ImportAnswer>) {
      const answer = yield* Effect.tryPromise(answerOf).pipe(
        Effect.catchTag("UnknownError", ({ cause }) =>
          Effect.logError("The import thread failed", cause).pipe(
            Effect.andThen(countImport({ outcome: "failed" })),
            Effect.andThen(Effect.fail(unreadable)),
          ),
        ),
      );
      if (answer._tag === "features") return answer.features;
      const refusal =
        answer._tag === "unreadable" ? badBody(bodyProblems[answer.problem]) : refusalOf(answer.frame);
      return refusal === null ? [] : yield* refusal;
    });

    /** Sends a body to the thread as it arrives, and gives its features. */
    const featuresOf = Effect.fnUntraced(function* (
      pieces: Stream.Stream<Uint8Array, Unprocessable>,
      body: ThreadBody,
    ) {
      const features: Array<ImportedFeature> = [];
      let bytes = 0;
      const send = Effect.fnUntraced(function* (chunk: Uint8Array) {
        bytes += chunk.length;
        if (bytes > importBodyRules.maxBytes) return yield* PayloadTooLarge.of(importBodyRules.maxBytes);
        for (let from = 0; from < chunk.length; from += pieceBytes) {
          const read = yield* ask(() => body.push(chunk.subarray(from, from + pieceBytes)));
          for (const feature of read) features.push(feature);
        }
      });
      yield* Stream.runForEach(pieces, send);
      yield* ask(body.end);
      return features;
    });

    const readInThread = (pieces: Stream.Stream<Uint8Array, Unprocessable>) =>
      Effect.acquireUseRelease(
        Effect.sync(thread.open),
        (body) => featuresOf(pieces, body),
        (body) => Effect.sync(body.close),
      );

    const readOnce = Effect.fn("ImportReader.read")(function* (
      tenant: TenantKey,
      request: HttpServerRequest.HttpServerRequest,
    ) {
      const refusal = headRefusal(request, importBodyRules);
      if (refusal !== null) return yield* refusal;
      const release = yield* takeSlot(tenant);
      const pieces = Stream.mapError(request.stream, () => badBody(bodyProblems.broken));
      const features = yield* readInThread(pieces).pipe(
        Effect.tapError((error) =>
          (error === unreadable ? Effect.void : countImport({ outcome: "refused" })).pipe(
            Effect.andThen(release),
            Effect.andThen(discardRest(request)),
          ),
        ),
      );
      yield* countImport({ outcome: "read" });
      return { features, release } satisfies ReadImport;
    });

    /** One geometry, read in a slot of imports. */
    const readLong = Effect.fnUntraced(function* (tenant: TenantKey, text: string) {
      const release = yield* takeSlot(tenant);
      return yield* Effect.ensuring(readInThread(Stream.make(new TextEncoder().encode(text))), release);
    }, Effect.scoped);

    return {
      /**
       * A geometry of a body, as a feature with the smallest radius. A long one is read in the thread.
       * @throws 503
       */
      readGeometry: Effect.fnUntraced(function* (tenant: TenantKey, geometry: unknown) {
        const feature = geometryFeature(geometry);
        const text = JSON.stringify({ type: "FeatureCollection", features: [feature] });
        if (text.length <= maxInlineChars) return importedLocation(feature);
        const read = Effect.result(readLong(tenant, text));
        const [found] = yield* Effect.fromResult(yield* outsideTransaction("geometry", read));
        return found ?? importedLocation(null);
      }),
      /**
       * The features of a request's body, read outside a transaction. Other imports wait until `release`, at
       * the latest until the end of the scope. @throws 413, 415, 422 with all problems, 503
       */
      read: Effect.fnUntraced(function* (tenant: TenantKey, request: HttpServerRequest.HttpServerRequest) {
        const scope = yield* Effect.scope;
        const read = readOnce(tenant, request).pipe(Effect.provideService(Scope.Scope, scope), Effect.result);
        return yield* Effect.fromResult(yield* outsideTransaction("import", read));
      }),
      /** Whether the thread runs. */
      isThreadRunning: Effect.sync(() => thread.isRunning),
    };
  }),
}) {
  static readonly layer = Layer.effect(ImportReader, ImportReader.make);
}

/** The refusal of a body for the members around its features, with all problems; null for none. */
const refusalOf = (frame: CollectionFrame | null): Unprocessable | null => {
  if (frame === null) return badBody(bodyProblems.object);
  // Behind too many features, the type was not read.
  const assumed = frame.hasTooMany ? { type: "FeatureCollection" } : {};
  const { problems } = parseFields(FeatureCollection, { ...assumed, ...frame.members });
  if (frame.hasTooMany) problems.add("features", tooManyFeatures);
  if (frame.isRepeated) problems.add("features", "The features are given twice: send one list.");
  const problem = referenceSystemProblem(frame.members["crs"]);
  if (problem !== null) problems.add("crs", problem);
  if (frame.isTooDeep) problems.add("body", bodyProblems.depth);
  return problems.isEmpty ? null : Unprocessable.validation(problems.fields);
};
