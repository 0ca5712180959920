import { Cause, Clock, Context, Duration, Effect, Exit, Layer, Option } from "effect";
import { HttpServerResponse } from "effect/http";
import { Database } from "../database/Database.ts";
import { Conflict } from "../wire/ApiError.ts";
import { outsideWork } from "./OutsideTransaction.ts";
import { countConflict, countReplay } from "./IdempotencyMetrics.ts";
import { IdempotencySql, type IdempotentRequest, type StoredResponse } from "./IdempotencySql.ts";

const keptMillis = 24 * 60 * 60 * 1000;
const waitMillis = 10_000;
const firstPause = 10;
const longestPause = 250;

const stillRunning = Conflict.of(
  "request_in_progress",
  "A request with this same key is still running: send this one again in 2 seconds.",
);

const nameOf = ({ key, path, tenant }: IdempotentRequest) =>
  JSON.stringify([tenant.workspaceId, tenant.environment, path, key]);

/** Another request holds the key: raised inside the transaction, so that its connection goes back to the pool. */
class Held {
  readonly _tag = "Held";
}

const held = new Held();

const replay = (stored: StoredResponse) =>
  HttpServerResponse.uint8Array(stored.body, {
    status: stored.status,
    headers: { "idempotent-replayed": "true" },
    ...(stored.content_type === null ? {} : { contentType: stored.content_type }),
  });

const bytesOf = (response: HttpServerResponse.HttpServerResponse): StoredResponse => {
  const body = response.body;
  if (body._tag !== "Uint8Array" && body._tag !== "Empty") {
    throw new Error(`An idempotent endpoint answered with a ${body._tag} body, which cannot be stored`);
  }
  return {
    status: response.status,
    content_type: body._tag === "Empty" ? null : body.contentType,
    body: body._tag === "Empty" ? new Uint8Array() : body.body,
  };
};

/** Changes that happen once under the name that a client gave them. */
export class IdempotentRequests extends Context.Service<IdempotentRequests>()(
  "waypost/http/IdempotentRequests",
  {
    make: Effect.gen(function* () {
      const database = yield* Database;
      const repository = yield* IdempotencySql;
      /** What this process carries out now, from the head of the request to its answer. */
      const inFlight = new Set<string>();

      return {
        /**
         * Carries out the change, or gives the answer that it got within the last 24 hours. One transaction holds the change and its
         * answer. A lock that the transaction takes on the key keeps twins out; it goes with the transaction, so a key whose owner died
         * is free as soon as PostgreSQL notices. Who finds it taken lets go of the connection and comes back, for ten seconds;
         * after that 409 `request_in_progress`. `prepare` is done before, and errands between two runs: neither a slow client nor a
         * slow server elsewhere holds a transaction open. Meanwhile no lock is held, and twins are kept waiting by this process alone:
         * one that another process got does the errand too, and the first of the two to commit is the change.
         */
        once: <E, R, R2>(
          change: IdempotentRequest,
          prepare: Effect.Effect<void, never, R2>,
          handler: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>,
        ): Effect.Effect<HttpServerResponse.HttpServerResponse, E | Conflict, R | R2> =>
          Effect.gen(function* () {
            const started = yield* Clock.currentTimeMillis;
            const since = started - keptMillis;
            const known = (yield* repository.find(change, since))[0];
            if (known !== undefined) return yield* Effect.as(countReplay, replay(known));
            const { catchUp, provide } = outsideWork();
            const once = database.atomically(
              Effect.gen(function* () {
                const [lock] = yield* repository.tryLock(change);
                if (lock?.held !== true) return yield* Effect.fail(held);
                const twin = (yield* repository.find(change, since))[0];
                if (twin !== undefined) return yield* Effect.as(countReplay, replay(twin));
                const response = yield* provide(handler);
                if (response.status >= 200 && response.status < 300) {
                  yield* repository.store(change, bytesOf(response), yield* Clock.currentTimeMillis);
                }
                return response;
              }),
            );

            const run = Effect.gen(function* () {
              yield* prepare;
              while (true) {
                const exit = yield* Effect.exit(once);
                if (Exit.isSuccess(exit)) return exit.value;
                if (yield* catchUp(exit.cause)) continue;
                const failure = Option.getOrUndefined(Cause.findErrorOption(exit.cause)) as unknown;
                if (failure === held) return held;
                return yield* Effect.failCause(exit.cause as Cause.Cause<E>);
              }
            });

            const name = nameOf(change);
            let pause = firstPause;
            while (true) {
              const answer = yield* Effect.acquireUseRelease(
                Effect.sync(() => !inFlight.has(name) && inFlight.add(name)),
                (taken) => (taken ? run : Effect.succeed(held)),
                (taken) => Effect.sync(() => taken && inFlight.delete(name)),
              );
              if (!(answer instanceof Held)) return answer;
              const waited = (yield* Clock.currentTimeMillis) - started;
              if (waited >= waitMillis) return yield* Effect.andThen(countConflict, stillRunning);
              yield* Effect.sleep(Duration.millis(Math.min(pause, waitMillis - waited)));
              pause = Math.min(pause * 2, longestPause);
            }
          }),
      };
    }),
  },
) {
  static readonly layer = Layer.effect(IdempotentRequests, IdempotentRequests.make).pipe(
    Layer.provide(IdempotencySql.layer),
  );
}
