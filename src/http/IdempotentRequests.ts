import { Cause, Clock, Context, Duration, Effect, Exit, Layer, Option } from "effect";
import { HttpServerResponse } from "effect/http";
import { Database } from "../database/Database.ts";
import { Conflict } from "../wire/ApiError.ts";
import { countConflict, countReplay } from "./IdempotencyMetrics.ts";
import {
  IdempotencyRepository,
  type IdempotentRequest,
  type StoredResponse,
} from "./IdempotencyRepository.ts";
import { outsideWork } from "./OutsideTransaction.ts";

const keptMillis = 24 * 60 * 60 * 1000;
const maxWaitMillis = 10_000;
const minPauseMillis = 10;
const maxPauseMillis = 250;

const stillRunning = Conflict.of(
  "request_in_progress",
  "A request with this same key is still running: send this one again in 2 seconds.",
);

const nameOf = ({ key, path, tenant }: IdempotentRequest) =>
  JSON.stringify([tenant.workspaceId, tenant.environment, path, key]);

/** Another request holds the key. It fails the transaction, so that the connection returns to the pool. */
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

const storedForm = ({ body, status }: HttpServerResponse.HttpServerResponse): StoredResponse => {
  if (body._tag !== "Uint8Array" && body._tag !== "Empty") {
    throw new Error(`An idempotent endpoint responded with a ${body._tag} body, which cannot be stored`);
  }
  return body._tag === "Empty"
    ? { status, content_type: null, body: new Uint8Array() }
    : { status, content_type: body.contentType, body: body.body };
};

/** Runs requests with an Idempotency-Key once (contract J1–J3). */
export class IdempotentRequests extends Context.Service<IdempotentRequests>()(
  "waypost/http/IdempotentRequests",
  {
    make: Effect.gen(function* () {
      const database = yield* Database;
      const repository = yield* IdempotencyRepository;
      /** The requests that this process is running, from their head to their response. */
      const running = new Set<string>();

      return {
        /**
         * Runs the handler, or gives the response of the last 24 hours to the same request. One transaction
         * holds the change and the response. It takes a lock on the key, which keeps concurrent duplicates
         * out and ends with the transaction: the key of a dead process is free as soon as PostgreSQL notices.
         *
         * A duplicate that finds the key locked releases its connection and retries for ten seconds; then it
         * fails with 409 `request_in_progress`. `prepare` runs before the transaction, and work outside the
         * transaction between two runs of it, so neither a slow client nor a slow server elsewhere holds a
         * transaction open. Meanwhile no lock is held: a duplicate in this process waits, one in another
         * process does the same work, and the first to commit is the change.
         */
        once: <E, R, R2>(
          request: IdempotentRequest,
          prepare: Effect.Effect<void, never, R2>,
          handler: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>,
        ): Effect.Effect<HttpServerResponse.HttpServerResponse, E | Conflict, R | R2> =>
          Effect.gen(function* () {
            const started = yield* Clock.currentTimeMillis;
            const findStored = repository.find(request, started - keptMillis);
            const stored = yield* findStored;
            if (stored !== null) return yield* Effect.as(countReplay, replay(stored));

            const { catchUp, provide } = outsideWork();
            const attempt = database.atomically(
              Effect.gen(function* () {
                if (!(yield* repository.tryLock(request))) return yield* Effect.fail(held);
                const duplicate = yield* findStored;
                if (duplicate !== null) return yield* Effect.as(countReplay, replay(duplicate));
                const response = yield* provide(handler);
                if (response.status >= 200 && response.status < 300)
                  yield* repository.store(request, storedForm(response), yield* Clock.currentTimeMillis);
                return response;
              }),
            );

            const run = Effect.gen(function* () {
              yield* prepare;
              while (true) {
                const exit = yield* Effect.exit(attempt);
                if (Exit.isSuccess(exit)) return exit.value;
                if (yield* catchUp(exit.cause)) continue;
                const failure = Option.getOrUndefined(Cause.findErrorOption(exit.cause)) as unknown;
                if (failure === held) return held;
                return yield* Effect.failCause(exit.cause as Cause.Cause<E>);
              }
            });

            const name = nameOf(request);
            let pause = minPauseMillis;
            while (true) {
              const outcome = yield* Effect.acquireUseRelease(
                Effect.sync(() => !running.has(name) && running.add(name)),
                (isOwner) => (isOwner ? run : Effect.succeed(held)),
                (isOwner) => Effect.sync(() => isOwner && running.delete(name)),
              );
              if (!(outcome instanceof Held)) return outcome;
              const waited = (yield* Clock.currentTimeMillis) - started;
              if (waited >= maxWaitMillis) return yield* Effect.andThen(countConflict, stillRunning);
              yield* Effect.sleep(Duration.millis(Math.min(pause, maxWaitMillis - waited)));
              pause = Math.min(pause * 2, maxPauseMillis);
            }
          }),
      };
    }),
  },
) {
  static readonly layer = Layer.effect(IdempotentRequests, IdempotentRequests.make);
}
