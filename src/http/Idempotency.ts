import { HttpApiMiddleware } from "effect/http-api";
import type { Caller } from "../access/Caller.ts";
import { Conflict, PayloadTooLarge, Unprocessable, UnsupportedMediaType } from "../wire/ApiError.ts";

/**
 * Marks a changing endpoint of the platform API: it takes an `Idempotency-Key`, under which it happens once (contract J1–J3).
 */
export class Idempotency extends HttpApiMiddleware.Service<Idempotency, { requires: Caller }>()(
  "waypost/http/Idempotency",
  { error: [Conflict, PayloadTooLarge, UnsupportedMediaType, Unprocessable] },
) {}
