import type { HttpServerRequest, HttpServerResponse } from "effect/http";
import { textUnlessKnown } from "../http/EntityTag.ts";

/** A report as a response, or 304 if the client has it. Caches must revalidate it each time. */
export const reportAnswer =
  (request: HttpServerRequest.HttpServerRequest) =>
  (text: string): HttpServerResponse.HttpServerResponse =>
    textUnlessKnown(request.headers["if-none-match"], text);
