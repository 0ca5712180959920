import type { HttpServerRequest, HttpServerResponse } from "effect/http";
import { textUnlessKnown } from "../http/EntityTag.ts";

/**
 * Answers a report with its JSON text, or with 304 if the client has it. Caches must revalidate it each time.
 */
export const reportAnswer =
  (request: HttpServerRequest.HttpServerRequest) =>
  (text: string): HttpServerResponse.HttpServerResponse =>
    textUnlessKnown(request.headers["if-none-match"], text);
