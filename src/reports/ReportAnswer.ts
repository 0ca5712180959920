import { type HttpServerRequest, HttpServerResponse } from "effect/http";
import { createHash } from "node:crypto";
import { namesTag } from "../http/EntityTag.ts";

/**
 * A report that is JSON text already, under a tag of its content: who has that content (`If-None-Match`) gets 304 without it. Nobody
 * may keep it without asking again, for the next delivery changes it.
 */
export const reportAnswer =
  (request: HttpServerRequest.HttpServerRequest) =>
  (text: string): HttpServerResponse.HttpServerResponse => {
    const etag = `"${createHash("sha256").update(text).digest("base64url")}"`;
    const headers = { etag, "cache-control": "private, no-cache" };
    const known = request.headers["if-none-match"];
    return known !== undefined && namesTag(known, etag)
      ? HttpServerResponse.empty({ status: 304, headers })
      : HttpServerResponse.text(text, { contentType: "application/json", headers });
  };
