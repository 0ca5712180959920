import { Context, Effect, Layer } from "effect";
import { HttpServerRequest } from "effect/http";
import type { HttpApiEndpoint } from "effect/http-api";
import { CurrentActor } from "../access/Actor.ts";
import { Caller } from "../access/Caller.ts";
import { operatorKeyFingerprint } from "../access/OperatorKey.ts";
import { Conflict, Unprocessable } from "../wire/ApiError.ts";
import { errorResponse } from "../wire/ErrorResponse.ts";
import { bodyRules, readBody } from "../wire/RequestBody.ts";
import { Idempotency } from "./Idempotency.ts";
import type { IdempotentRequest } from "./IdempotencySql.ts";
import { IdempotentRequests } from "./IdempotentRequests.ts";

const keyProblem = Unprocessable.parameters({
  "Idempotency-Key": ["The Idempotency-Key must have 1 to 255 visible ASCII characters, such as a UUID."],
});

/**
 * Runs a request with an `Idempotency-Key` once. The body is read before the transaction begins; a handler
 * that streams it does so outside the transaction.
 */
export const idempotencyLayer = Layer.effect(
  Idempotency,
  Effect.gen(function* () {
    const requests = yield* IdempotentRequests;
    const operatorKey = Buffer.from(yield* operatorKeyFingerprint).toString("hex");

    return (httpEffect, { endpoint }) =>
      Effect.gen(function* () {
        const request = yield* HttpServerRequest.HttpServerRequest;
        const key = request.headers["idempotency-key"];
        if (key === undefined) return yield* httpEffect;
        if (!/^[\x21-\x7e]{1,255}$/.test(key)) return yield* keyProblem;
        const tenant = Context.getUnsafe(yield* Effect.context(), Caller);
        const actor = yield* CurrentActor;
        // A session is not its token, and the operator is another one with another key.
        const author = `${actor?.type} ${actor?.id ?? operatorKey}`;
        const path = request.url.split("?", 1)[0] ?? "";
        const identity: IdempotentRequest = { tenant, key, path, author };
        // The handler reports problems of the body, after those of the path (contract B1).
        const rules = bodyRules(endpoint);
        const prepare =
          acceptsJson(endpoint) && rules.isStreamed !== true
            ? Effect.ignore(readBody(request, rules))
            : Effect.void;
        return yield* Effect.catchIf(
          requests.once(identity, prepare, httpEffect),
          (failure): failure is Conflict => failure instanceof Conflict,
          (conflict) => Effect.succeed(errorResponse(conflict)),
        );
      });
  }),
);

const acceptsJson = (endpoint: HttpApiEndpoint.Top): boolean => {
  for (const { encoding } of endpoint.payload.values()) if (encoding._tag === "Json") return true;
  return false;
};
