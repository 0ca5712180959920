import { HttpApiMiddleware } from "effect/http-api";
import type { Caller } from "../access/Caller.ts";
import { Conflict, PayloadTooLarge, Unprocessable, UnsupportedMediaType } from "../wire/ApiError.ts";

/**
 * Middleware of changing platform endpoints: with an `Idempotency-Key`, a request runs once (contract J1–J3).
 */
export class Idempotency extends HttpApiMiddleware.Service<Idempotency, { requires: Caller }>()(
  "waypost/http/Idempotency",
  { error: [Conflict, PayloadTooLarge, UnsupportedMediaType, Unprocessable] },
) {}
