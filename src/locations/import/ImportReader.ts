import { Context, Effect, Layer, Scope, Stream } from "effect";
import type { HttpServerRequest } from "effect/http";
import { IncomingMessage } from "node:http";
import { outsideTransaction } from "../../http/OutsideTransaction.ts";
import {
  PayloadTooLarge,
  ServiceUnavailable,
  Unprocessable,
  type UnsupportedMediaType,
} from "../../wire/ApiError.ts";
import { parseFields } from "../../wire/ParsedBody.ts";
import { badBody, bodyProblems, headRefusal } from "../../wire/RequestBody.ts";
import { FairSlots, type SlotLimits } from "../../workers/FairSlots.ts";
import type { TenantKey } from "../../workspaces/Workspace.ts";
import { MAX_FEATURES } from "../ImportLimits.ts";
import { FeatureCollection, tooManyFeatures } from "../LocationImport.ts";
import { importBodyRules } from "../LocationsApi.ts";
import { referenceSystemProblem } from "../ReferenceSystem.ts";
import type { CollectionFrame } from "./FeatureCollectionReader.ts";
import type { ImportAnswer, ImportedFeature } from "./ImportMessages.ts";
import { countImport } from "./ImportMetrics.ts";
import { ImportThread, type ThreadBody, type ThreadLimits } from "./ImportThread.ts";

/** Limits of concurrent imports. Times are real time, also where a test controls the clock. */
export interface ImportLimits extends SlotLimits, ThreadLimits {
  /** Milliseconds for which an import waits for its turn. */
  readonly waitMillis: number;
}

/** The limits in production. */
export const ImportLimits = Context.Reference<ImportLimits>("waypost/locations/ImportLimits", {
  defaultValue: () => ({
    maxRunning: 6,
    maxRunningPerOwner: 2,
    maxWaitingPerOwner: 20,
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

type Refusal = PayloadTooLarge | UnsupportedMediaType | Unprocessable | ServiceUnavailable;

/** The piece of a body that is sent to the thread at once: about a millisecond of its time. */
const pieceBytes = 65_536;

const busy = ServiceUnavailable.of(
  "Too many imports of this environment run already: send this one again in a few seconds.",
  5,
);
const unreadable = ServiceUnavailable.of(
  "The service cannot read imports at the moment: try again in a few seconds.",
);

/**
 * Reads the bodies of imports in a thread, piece by piece as they arrive, so that none holds the event loop or
 * is kept as a whole (contract B3, G3, G4). Few are read at a time, and few of one environment.
 */
export class ImportReader extends Context.Service<
  ImportReader,
  {
    /**
     * The features of a request's body, read outside a transaction. Other imports wait until `release`, at the
     * latest until the end of the scope. @throws 413, 415, 422 with all problems, 503
     */
    readonly read: (
      tenant: TenantKey,
      request: HttpServerRequest.HttpServerRequest,
    ) => Effect.Effect<ReadImport, Refusal, Scope.Scope>;
    /** Whether the thread runs. */
    readonly isThreadRunning: Effect.Effect<boolean>;
  }
>()("waypost/locations/ImportReader") {
  static readonly layer = Layer.effect(
    ImportReader,
    Effect.gen(function* () {
      const limits = yield* ImportLimits;
      const slots = new FairSlots(limits);
      const thread = new ImportThread(limits);
      yield* Effect.addFinalizer(() => Effect.sync(thread.stop));

      /** Waits for a slot; gives its release, which the scope also calls. */
      const takeSlot = Effect.fnUntraced(function* ({ environment, workspaceId }: TenantKey) {
        const granted = Promise.withResolvers<void>();
        const release = yield* Effect.acquireRelease(
          Effect.sync(() => slots.claim(`${workspaceId}/${environment}`, granted.resolve)),
          (claimed) => Effect.sync(() => claimed?.()),
        );
        if (release === null) return yield* Effect.andThen(countImport("turned_away"), Effect.fail(busy));
        yield* Effect.callback<void, ServiceUnavailable>((resume) => {
          const timer = setTimeout(() => resume(Effect.fail(busy)), limits.waitMillis);
          void granted.promise.then(() => resume(Effect.void));
          return Effect.sync(() => clearTimeout(timer));
        }).pipe(Effect.tapError(() => countImport("turned_away")));
        return Effect.sync(release);
      });

      const ask = (answer: () => Promise<ImportAnswer>) =>
        Effect.catch(Effect.tryPromise(answer), ({ cause }) =>
          Effect.logError("The import thread failed", cause).pipe(
            Effect.andThen(countImport("failed")),
            Effect.andThen(Effect.fail(unreadable)),
          ),
        );

      /** Sends the body to the thread as it arrives. Gives its features and what is around them. */
      const stream = Effect.fnUntraced(function* (
        request: HttpServerRequest.HttpServerRequest,
        body: ThreadBody,
      ) {
        const features: Array<ImportedFeature> = [];
        let bytes = 0;
        yield* request.stream.pipe(
          Stream.mapError(() => badBody(bodyProblems.broken)),
          Stream.runForEach((chunk) =>
            Effect.gen(function* () {
              bytes += chunk.length;
              if (bytes > importBodyRules.maxBytes)
                return yield* PayloadTooLarge.of(importBodyRules.maxBytes);
              for (let from = 0; from < chunk.length; from += pieceBytes) {
                const answer = yield* ask(() => body.push(chunk.subarray(from, from + pieceBytes)));
                if (answer._tag === "unreadable") return yield* badBody(bodyProblems[answer.problem]);
                if (answer._tag === "features") for (const each of answer.features) features.push(each);
              }
            }),
          ),
        );
        const answer = yield* ask(body.end);
        if (answer._tag === "unreadable") return yield* badBody(bodyProblems[answer.problem]);
        const frame = answer._tag === "read" ? answer.frame : null;
        if (frame === null) return yield* badBody(bodyProblems.object);
        yield* checkFrame(frame);
        return features;
      });

      const readOnce = Effect.fn("ImportReader.read")(function* (
        tenant: TenantKey,
        request: HttpServerRequest.HttpServerRequest,
      ) {
        const refusal = headRefusal(request, importBodyRules);
        if (refusal !== null) return yield* refusal;
        const release = yield* takeSlot(tenant);
        const features = yield* Effect.acquireUseRelease(
          Effect.sync(thread.open),
          (body) => stream(request, body),
          (body) => Effect.sync(body.close),
        ).pipe(
          Effect.onError(() => Effect.sync(() => discardRest(request))),
          Effect.tapError((error) =>
            error instanceof ServiceUnavailable ? Effect.void : countImport("refused"),
          ),
        );
        yield* countImport("read");
        return { features, release } satisfies ReadImport;
      });

      return ImportReader.of({
        read: Effect.fnUntraced(function* (tenant, request) {
          const scope = yield* Effect.scope;
          const read = readOnce(tenant, request).pipe(
            Effect.provideService(Scope.Scope, scope),
            Effect.result,
          );
          return yield* Effect.fromResult(yield* outsideTransaction("import", read));
        }),
        isThreadRunning: Effect.sync(() => thread.isRunning),
      });
    }),
  );
}

/** Lets a client that still sends read the response: most read none before they have sent everything. */
const discardRest = ({ source }: HttpServerRequest.HttpServerRequest): void => {
  if (source instanceof IncomingMessage) source.resume();
};

/** Reports all problems of the members around the features together. */
const checkFrame = (frame: CollectionFrame): Effect.Effect<void, Unprocessable> => {
  const { problems } = parseFields(FeatureCollection, frame.members);
  if (frame.count > MAX_FEATURES) problems.add("features", tooManyFeatures);
  if (frame.isRepeated) problems.add("features", "The features are given twice: send one list.");
  const problem = referenceSystemProblem(frame.members["crs"]);
  if (problem !== null) problems.add("crs", problem);
  if (frame.isTooDeep) problems.add("body", bodyProblems.depth);
  return problems.isEmpty ? Effect.void : Effect.fail(Unprocessable.validation(problems.fields));
};
