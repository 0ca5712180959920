import { Cause, Clock, Context, Duration, Effect, Exit, Layer, Option } from "effect";
import { HttpServerRequest, HttpServerResponse } from "effect/http";
import type { HttpApiEndpoint } from "effect/http-api";
import { Caller } from "../access/Caller.ts";
import { Database } from "../database/Database.ts";
import { Conflict, Unprocessable } from "../wire/ApiError.ts";
import { errorResponse } from "../wire/ErrorResponse.ts";
import { bodyRules, readBody } from "../wire/RequestBody.ts";
import { errands } from "./Errand.ts";
import { Idempotency } from "./Idempotency.ts";
import { IdempotencySql, type NamedChange, type StoredResponse } from "./IdempotencySql.ts";

const keptMillis = 24 * 60 * 60 * 1000;
const waitMillis = 10_000;
const firstPause = 10;
const longestPause = 250;

const keyProblem = Unprocessable.parameters({
  "Idempotency-Key": ["The Idempotency-Key must have 1 to 255 visible ASCII characters, such as a UUID."],
});
const stillRunning = Conflict.of(
  "request_in_progress",
  "A request with this Idempotency-Key is still running: send this one again in 2 seconds.",
);

/** Another request holds the key: raised inside the transaction, so that its connection goes back to the pool. */
class Held {
  readonly _tag = "Held";
}

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

/**
 * One transaction holds the change and its answer. A lock that the transaction takes on the key keeps twins out; it goes with
 * the transaction, so a key whose owner died is free as soon as PostgreSQL notices. Who finds it taken lets go of the
 * connection and comes back, for ten seconds. The body is read first, and errands are done between two runs: neither a slow client
 * nor a slow server elsewhere holds a transaction open.
 */
export const idempotencyLayer = Layer.effect(
  Idempotency,
  Effect.gen(function* () {
    const database = yield* Database;
    const repository = yield* IdempotencySql;

    return (httpEffect, { endpoint }) =>
      Effect.gen(function* () {
        const request = yield* HttpServerRequest.HttpServerRequest;
        const key = request.headers["idempotency-key"];
        if (key === undefined) return yield* httpEffect;
        if (!/^[\x21-\x7e]{1,255}$/.test(key)) return yield* keyProblem;
        const tenant = Context.getUnsafe(yield* Effect.context(), Caller);
        const change: NamedChange = { tenant, key, path: request.url.split("?", 1)[0] ?? "" };
        const started = yield* Clock.currentTimeMillis;
        const since = started - keptMillis;

        const known = (yield* repository.find(change, since))[0];
        if (known !== undefined) return replay(known);
        // What is wrong with the body is for the handler to say, after what is wrong with the path (contract B1).
        if (takesJson(endpoint)) yield* Effect.ignore(readBody(request, bodyRules(endpoint)));

        const { catchUp, provide } = errands();
        const once = database.atomically(
          Effect.gen(function* () {
            const [lock] = yield* repository.tryLock(change);
            if (lock?.held !== true) return yield* Effect.fail(new Held());
            const twin = (yield* repository.find(change, since))[0];
            if (twin !== undefined) return replay(twin);
            const response = yield* provide(httpEffect);
            if (response.status >= 200 && response.status < 300) {
              yield* repository.store(change, bytesOf(response), yield* Clock.currentTimeMillis);
            }
            return response;
          }),
        );

        let pause = firstPause;
        while (true) {
          const exit = yield* Effect.exit(once);
          if (Exit.isSuccess(exit)) return exit.value;
          if (yield* catchUp(exit.cause)) continue;
          const failure = Option.getOrUndefined(Cause.findErrorOption(exit.cause)) as unknown;
          if (!(failure instanceof Held)) return yield* Effect.failCause(exit.cause as Cause.Cause<never>);
          const waited = (yield* Clock.currentTimeMillis) - started;
          if (waited >= waitMillis) return errorResponse(stillRunning);
          yield* Effect.sleep(Duration.millis(Math.min(pause, waitMillis - waited)));
          pause = Math.min(pause * 2, longestPause);
        }
      });
  }),
);

const takesJson = (endpoint: HttpApiEndpoint.Top): boolean => {
  for (const { encoding } of endpoint.payload.values()) if (encoding._tag === "Json") return true;
  return false;
};
