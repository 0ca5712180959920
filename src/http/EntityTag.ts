import { HttpServerResponse } from "effect/http";
import { createHash } from "node:crypto";

/**
 * Whether an `If-None-Match` or `If-Match` header names this ETag, in a list or by `*`. Weak tags match
 * strong ones.
 */
export const namesTag = (header: string, etag: string): boolean =>
  header.trim() === "*" || (header.match(/"[^"]*"/g) ?? []).some((tag) => tag === etag);

/**
 * The body as JSON with an ETag of its content; 304 without a body if the `If-None-Match` header names it.
 */
export const unlessKnown = (
  ifNoneMatch: string | undefined,
  body: object,
): HttpServerResponse.HttpServerResponse => textUnlessKnown(ifNoneMatch, JSON.stringify(body));

/** `unlessKnown` for a body that is already JSON text. */
export const textUnlessKnown = (
  ifNoneMatch: string | undefined,
  text: string,
): HttpServerResponse.HttpServerResponse => {
  const etag = `"${createHash("sha256").update(text).digest("base64url")}"`;
  // No cache stores the response, as no response of an API. A client that keeps it may still ask by its tag.
  const headers = { etag, "cache-control": "no-store" };
  return ifNoneMatch !== undefined && namesTag(ifNoneMatch, etag)
    ? HttpServerResponse.empty({ status: 304, headers })
    : HttpServerResponse.text(text, { headers, contentType: "application/json" });
};
