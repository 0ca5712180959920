import { Cause, Clock, Context, Deferred, Duration, Effect, Exit, Layer, Option } from "effect";
import { HttpServerResponse } from "effect/http";
import { BeforeCommit } from "../database/BeforeCommit.ts";
import { Database } from "../database/Database.ts";
import { pipelined } from "../database/pool/TransactionConnection.ts";
import { Conflict } from "../wire/ApiError.ts";
import { countConflict, countReplay } from "./IdempotencyMetrics.ts";
import { IdempotencySql, type IdempotentRequest } from "./IdempotencySql.ts";
import { outsideWork } from "./OutsideTransaction.ts";
import { bodyFor, type RepeatableResponse, scopeOf, sealedResponses } from "./SealedResponses.ts";

const keptMillis = 24 * 60 * 60 * 1000;
const maxWaitMillis = 10_000;
const minPauseMillis = 10;
const maxPauseMillis = 250;

const stillRunning = Conflict.of(
  "request_in_progress",
  "A request with this same key is still running: send this one again in 2 seconds.",
);

/**
 * Another transaction holds the key. It fails the transaction, so that the connection returns to the pool.
 */
class Held {
  readonly _tag = "Held";
}

const held = new Held();

/** A response, and the form in which duplicates get it; null if it is not a success. */
interface Outcome {
  readonly response: HttpServerResponse.HttpServerResponse;
  readonly repeatable: RepeatableResponse | null;
}

const replay = ({ author }: IdempotentRequest, repeatable: RepeatableResponse): Effect.Effect<Outcome> => {
  const { contentType, status } = repeatable;
  const response = HttpServerResponse.uint8Array(bodyFor(author, repeatable), {
    status,
    headers: { "idempotent-replayed": "true" },
    ...(contentType === null ? {} : { contentType }),
  });
  return Effect.as(countReplay, { response, repeatable });
};

const repeatableForm = (
  { author }: IdempotentRequest,
  { body, status }: HttpServerResponse.HttpServerResponse,
): RepeatableResponse => {
  if (body._tag !== "Uint8Array" && body._tag !== "Empty") {
    throw new Error(`An idempotent endpoint responded with a ${body._tag} body, which cannot be stored`);
  }
  return body._tag === "Empty"
    ? { status, contentType: null, body: new Uint8Array(), author }
    : { status, contentType: body.contentType, body: body.body, author };
};

/** Runs requests with an Idempotency-Key once (contract J1–J3). */
export class IdempotentRequests extends Context.Service<
  IdempotentRequests,
  {
    /**
     * Runs the handler, or gives the response of the last 24 hours to the same request. One transaction holds
     * the change and the response. It takes a lock on the key, which keeps concurrent duplicates out and ends
     * with the transaction: the key of a dead process is free as soon as PostgreSQL notices.
     *
     * Duplicates in one process wait for the first without a connection, and all get its response at once.
     * The first of another process polls for the stored response up to every 250 milliseconds. After ten
     * seconds a duplicate fails with 409 `request_in_progress`.
     *
     * `prepare` runs before the transaction, and work outside the transaction between two runs of it, so
     * neither a slow client nor a slow server elsewhere holds a transaction open. Meanwhile no lock is held:
     * a duplicate in another process does the same work, and the first to commit is the change.
     */
    readonly once: <E, R, R2>(
      request: IdempotentRequest,
      prepare: Effect.Effect<void, never, R2>,
      handler: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>,
    ) => Effect.Effect<HttpServerResponse.HttpServerResponse, E | Conflict, R | R2>;
  }
>()("waypost/http/IdempotentRequests") {
  static readonly layer = Layer.effect(
    IdempotentRequests,
    Effect.gen(function* () {
      const database = yield* Database;
      const repository = yield* IdempotencySql;
      const sealing = yield* sealedResponses;
      /**
       * The requests that this process is running, from their head to their response. Duplicates wait for
       * the repeatable form of the response, null if none was stored.
       */
      const running = new Map<string, Deferred.Deferred<RepeatableResponse | null>>();

      /**
       * Replays the response of a request of this process; null if it stored none, so that one duplicate
       * runs.
       */
      const awaitFirst = Effect.fnUntraced(function* (
        first: Deferred.Deferred<RepeatableResponse | null>,
        request: IdempotentRequest,
        started: number,
      ) {
        const left = maxWaitMillis - ((yield* Clock.currentTimeMillis) - started);
        const known = yield* Effect.timeoutOption(Deferred.await(first), Math.max(0, left));
        if (Option.isNone(known)) return yield* Effect.andThen(countConflict, stillRunning);
        return known.value === null ? null : yield* replay(request, known.value);
      });

      /**
       * Runs the handler in a transaction with its response, or replays. Waits while a transaction of another
       * process holds the key.
       */
      const run = Effect.fnUntraced(function* <E, R>(
        request: IdempotentRequest,
        started: number,
        handler: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>,
      ) {
        const { catchUp, provide } = outsideWork();
        // A replay changes nothing, so only a run of the handler is checked.
        const check = yield* BeforeCommit;
        const attempt = database
          .atomically(
            Effect.gen(function* () {
              const { isLocked, stored } = yield* repository.claim(request, started - keptMillis);
              if (stored !== null) return yield* replay(request, sealing.open(request, stored));
              if (!isLocked) return yield* Effect.fail(held);
              const response = yield* provide(handler);
              const isSuccess = response.status >= 200 && response.status < 300;
              const repeatable = isSuccess ? repeatableForm(request, response) : null;
              if (repeatable !== null) {
                const stored = sealing.seal(request, repeatable);
                yield* pipelined(repository.store(request, stored, yield* Clock.currentTimeMillis));
              }
              yield* check;
              return { response, repeatable };
            }),
          )
          .pipe(Effect.provideService(BeforeCommit, Effect.void));
        let pause = minPauseMillis;
        while (true) {
          const exit = yield* Effect.exit(attempt);
          if (Exit.isSuccess(exit)) return exit.value;
          if (yield* catchUp(exit.cause)) continue;
          const failure = Option.getOrUndefined(Cause.findErrorOption(exit.cause)) as unknown;
          if (failure !== held) return yield* Effect.failCause(exit.cause as Cause.Cause<E>);
          const waited = (yield* Clock.currentTimeMillis) - started;
          if (waited >= maxWaitMillis) return yield* Effect.andThen(countConflict, stillRunning);
          yield* Effect.sleep(Duration.millis(Math.min(pause, maxWaitMillis - waited)));
          pause = Math.min(pause * 2, maxPauseMillis);
        }
      });

      return IdempotentRequests.of({
        once: <E, R, R2>(
          request: IdempotentRequest,
          prepare: Effect.Effect<void, never, R2>,
          handler: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>,
        ): Effect.Effect<HttpServerResponse.HttpServerResponse, E | Conflict, R | R2> =>
          Effect.gen(function* () {
            const started = yield* Clock.currentTimeMillis;
            const name = scopeOf(request);
            const enter = Effect.sync(() => {
              const first = running.get(name);
              if (first !== undefined) return { first, own: null };
              const own = Deferred.makeUnsafe<RepeatableResponse | null>();
              running.set(name, own);
              return { first: own, own };
            });
            while (true) {
              const outcome = yield* Effect.acquireUseRelease(
                enter,
                ({ first, own }) =>
                  own === null
                    ? awaitFirst(first, request, started)
                    : Effect.andThen(prepare, run(request, started, handler)),
                ({ own }, exit) =>
                  Effect.sync(() => {
                    if (own === null) return;
                    running.delete(name);
                    const repeatable = Exit.isSuccess(exit) ? (exit.value?.repeatable ?? null) : null;
                    Deferred.doneUnsafe(own, Exit.succeed(repeatable));
                  }),
              );
              if (outcome !== null) return outcome.response;
            }
          }),
      });
    }),
  );
}
