import { Effect } from "effect";
import { HttpServerRequest, HttpServerResponse } from "effect/http";
import { createHash } from "node:crypto";
import { promisify } from "node:util";
import { constants, gzip } from "node:zlib";
import { acceptsCoding } from "./ContentCoding.ts";
import { namesTag } from "./EntityTag.ts";

/**
 * A long JSON text with an ETag of the text and `version`, compressed if the client accepts gzip; 304 without
 * a body if the request's `If-None-Match` names it. The tag is weak, as both encodings have it.
 */
export const compressedUnlessKnown = Effect.fnUntraced(function* (text: string, version: string) {
  const { headers: sent } = yield* HttpServerRequest.HttpServerRequest;
  const etag = `"${createHash("sha256").update(version).update(text).digest("base64url")}"`;
  const headers = { etag: `W/${etag}`, "cache-control": "no-store", vary: "accept-encoding" };
  if (namesTag(sent["if-none-match"] ?? "", etag)) return HttpServerResponse.empty({ status: 304, headers });
  const contentType = "application/json";
  if (!acceptsCoding(sent["accept-encoding"], "gzip"))
    return HttpServerResponse.text(text, { contentType, headers });
  const packed = yield* Effect.promise(() => promisify(gzip)(text, { level: constants.Z_BEST_SPEED }));
  return HttpServerResponse.uint8Array(packed, {
    contentType,
    headers: { ...headers, "content-encoding": "gzip" },
  });
});
