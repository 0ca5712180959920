import { Effect, Predicate } from "effect";
import { HttpEffect, HttpServerResponse } from "effect/http";
import type { ApiError, Unauthorized } from "./ApiError.ts";

/** The HTTP status of an error, as its schema declares it. */
const statusOf = (error: ApiError): number => {
  const status = (error.constructor as typeof Unauthorized).ast.annotations?.["httpApiStatus"];
  return typeof status === "number" ? status : 500;
};

const retryAfterOf = (error: unknown): number | undefined =>
  Predicate.hasProperty(error, "retryAfter") && typeof error.retryAfter === "number"
    ? error.retryAfter
    : undefined;

/** Adds `Retry-After` to the response that an endpoint encodes from an error, where waiting helps. */
export const withRetryAfter = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.tapError(effect, (error) => {
    // The error of a handler is wrapped until it is encoded.
    const wrapped = Predicate.hasProperty(error, "error") ? error.error : undefined;
    const seconds = retryAfterOf(error) ?? retryAfterOf(wrapped);
    return seconds === undefined
      ? Effect.void
      : HttpEffect.appendPreResponseHandler((_, response) =>
          Effect.succeed(HttpServerResponse.setHeader(response, "retry-after", String(seconds))),
        );
  });

/**
 * An error on the wire, with `Retry-After` where waiting helps: for those that never reach an endpoint's own
 * encoder.
 */
export const errorResponse = (error: ApiError, headers?: Readonly<Record<string, string>>) => {
  const retryAfter = retryAfterOf(error);
  return HttpServerResponse.jsonUnsafe(
    { error: error.error },
    {
      status: statusOf(error),
      headers: { ...(retryAfter === undefined ? {} : { "retry-after": String(retryAfter) }), ...headers },
    },
  );
};
