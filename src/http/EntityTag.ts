import { HttpServerResponse } from "effect/http";
import { createHash } from "node:crypto";

/** Whether an `If-None-Match` or `If-Match` header names this ETag, in a list or by `*`; a weak one counts as the strong one of its text. */
export const namesTag = (header: string, etag: string): boolean =>
  header.trim() === "*" || (header.match(/"[^"]*"/g) ?? []).some((tag) => tag === etag);

/** The body as JSON with an ETag of its content, or 304 without it when an `If-None-Match` header names that. */
export const unlessKnown = (
  ifNoneMatch: string | undefined,
  body: object,
): HttpServerResponse.HttpServerResponse => textUnlessKnown(ifNoneMatch, JSON.stringify(body));

/** As `unlessKnown`, for a body that is JSON text already. */
export const textUnlessKnown = (
  ifNoneMatch: string | undefined,
  text: string,
): HttpServerResponse.HttpServerResponse => {
  const etag = `"${createHash("sha256").update(text).digest("base64url")}"`;
  const headers = { etag, "cache-control": "private, no-cache" };
  return ifNoneMatch !== undefined && namesTag(ifNoneMatch, etag)
    ? HttpServerResponse.empty({ status: 304, headers })
    : HttpServerResponse.text(text, { headers, contentType: "application/json" });
};
