import type { HttpServerRequest, HttpServerResponse } from "effect/http";
import { textUnlessKnown } from "../http/EntityTag.ts";

/** A report that the database wrote as JSON text, or 304 to who has it. Nobody keeps it unasked, for the next delivery changes it. */
export const reportAnswer =
  (request: HttpServerRequest.HttpServerRequest) =>
  (text: string): HttpServerResponse.HttpServerResponse =>
    textUnlessKnown(request.headers["if-none-match"], text);
