import { HttpServerResponse } from "effect/http";
import { type ApiError, ServiceUnavailable, type Unauthorized } from "./ApiError.ts";

/** The HTTP status of an error, as its schema declares it. */
const statusOf = (error: ApiError): number => {
  const status = (error.constructor as typeof Unauthorized).ast.annotations?.["httpApiStatus"];
  return typeof status === "number" ? status : 500;
};

/**
 * An error on the wire, with `Retry-After` where waiting helps: for those that never reach an endpoint's own
 * encoder.
 */
export const errorResponse = (error: ApiError, headers?: Readonly<Record<string, string>>) => {
  const retryAfter = "retryAfter" in error ? error.retryAfter : undefined;
  return HttpServerResponse.jsonUnsafe(
    { error: error.error },
    {
      status: statusOf(error),
      headers: { ...(retryAfter === undefined ? {} : { "retry-after": String(retryAfter) }), ...headers },
    },
  );
};

/** Adds `Retry-After` to a 503 of an endpoint's own encoder, which writes no headers. */
export const withRetryAfter = (response: HttpServerResponse.HttpServerResponse) =>
  response.status === 503 && response.headers["retry-after"] === undefined
    ? HttpServerResponse.setHeader(response, "retry-after", String(ServiceUnavailable.of().retryAfter))
    : response;
