import { HttpServerResponse } from "effect/http";
import type { HttpServerRequest } from "effect/http";

/** The pages of other origins that may call an interface (contract BW1). */
export interface CrossOrigin {
  /** Headers that let a page of an origin read the response. A page that may not call gets none of them. */
  readonly headersFor: (origin: string | undefined) => Readonly<Record<string, string>>;
  /** The request headers that the interface reads. */
  readonly requestHeaders: string;
}

const exposed = {
  "access-control-expose-headers":
    "X-Request-Id, Retry-After, ETag, X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset, " +
    "RateLimit, RateLimit-Policy",
};

/** Pages of every origin may call. */
export const anyOrigin = (requestHeaders: string): CrossOrigin => {
  const headers = { "access-control-allow-origin": "*", ...exposed };
  return { headersFor: () => headers, requestHeaders };
};

/** Pages of the listed origins may call. */
export const listedOrigins = (origins: ReadonlySet<string>, requestHeaders: string): CrossOrigin => ({
  headersFor: (origin) =>
    origin !== undefined && origins.has(origin)
      ? { "access-control-allow-origin": origin, vary: "Origin", ...exposed }
      : { vary: "Origin" },
  requestHeaders,
});

/** Whether a browser asks if a page may make a request, which has neither token nor body. */
export const isPreflight = ({ headers, method }: HttpServerRequest.HttpServerRequest): boolean =>
  method === "OPTIONS" &&
  headers["origin"] !== undefined &&
  headers["access-control-request-method"] !== undefined;

/** The answer to a preflight of a path with these methods. Browsers keep it for a day. */
export const preflightResponse = ({ requestHeaders }: CrossOrigin, methods: string) =>
  HttpServerResponse.empty({
    status: 204,
    headers: {
      "access-control-allow-methods": methods,
      "access-control-allow-headers": requestHeaders,
      "access-control-max-age": "86400",
    },
  });
