import { Schema } from "effect";
import { errorBody, errorOptions, summary, withFields } from "./ErrorBody.ts";
import type { Fields } from "./Problems.ts";

/** 401: the token is missing, unknown, revoked or expired. */
export class Unauthorized extends Schema.Error<Unauthorized>("Unauthorized")(
  errorBody(
    ["missing_token", "invalid_token", "token_revoked", "token_expired", "unauthenticated"],
    "Send your token in the Authorization header, as: Bearer <token>.",
  ),
  errorOptions(401, "The token is missing, unknown, revoked or expired."),
) {
  readonly _tag = "Unauthorized";
  static of(code: Unauthorized["error"]["code"], message: string): Unauthorized {
    return new Unauthorized({ error: { code, message } });
  }
}

/** 403: the token is valid but may not do this, not now, or not over a limit of the plan. */
export class Forbidden extends Schema.Error<Forbidden>("Forbidden")(
  errorBody(
    [
      "wrong_environment",
      "workspace_paused",
      "platform_api_not_enabled",
      "missing_ability",
      "limit_exceeded",
      "trial_ended",
      "device_token_required",
      "user_hash_required",
      "cross_origin",
      "origin_not_allowed",
    ],
    "The token lacks the ability campaigns:write, which this endpoint needs.",
    withFields,
  ),
  errorOptions(403, "Refused for this token, this workspace or its plan."),
) {
  readonly _tag = "Forbidden";
  static of(code: Exclude<Forbidden["error"]["code"], "limit_exceeded">, message: string): Forbidden {
    return new Forbidden({ error: { code, message } });
  }
  /** A limit of the plan, by its name; the sentence gives the limit and the current count. */
  static limit(name: string, message: string): Forbidden {
    return Forbidden.limits({ [name]: [message] });
  }
  /** Several limits of the plan that a change exceeds at once (contract B4). */
  static limits(fields: Fields): Forbidden {
    return new Forbidden({ error: { code: "limit_exceeded", message: summary(fields), fields } });
  }
}

/** 404: no such resource in this workspace and environment, or no such endpoint. */
export class NotFound extends Schema.Error<NotFound>("NotFound")(
  errorBody(["not_found"], "There is no campaign with this id in this workspace."),
  errorOptions(404, "There is no such resource in this workspace, or no such endpoint."),
) {
  readonly _tag = "NotFound";
  static of(message: string): NotFound {
    return new NotFound({ error: { code: "not_found", message } });
  }
  /** `noun` in plain words, such as "campaign" or "location group". */
  static resource(noun: string): NotFound {
    return NotFound.of(`There is no ${noun} with this id in this workspace and environment.`);
  }
}

/** 405: the path exists, but not for this method. The `Allow` header lists its methods. */
export class MethodNotAllowed extends Schema.Error<MethodNotAllowed>("MethodNotAllowed")(
  errorBody(["method_not_allowed"], "This path takes GET and POST."),
  errorOptions(405, "The path does not take this method."),
) {
  readonly _tag = "MethodNotAllowed";
  static of(message: string): MethodNotAllowed {
    return new MethodNotAllowed({ error: { code: "method_not_allowed", message } });
  }
}

/** 409: another request or another resource prevents this one. */
export class Conflict extends Schema.Error<Conflict>("Conflict")(
  errorBody(
    [
      "request_in_progress",
      "media_in_use",
      "experiment_running",
      "experiment_not_running",
      "experiment_stopped",
    ],
    "A request with this Idempotency-Key is still running.",
    withFields,
  ),
  errorOptions(409, "Another request or resource prevents this one."),
) {
  readonly _tag = "Conflict";
  /** Seconds to wait, if waiting helps. */
  readonly retryAfter: number | undefined = this.error.code === "request_in_progress" ? 2 : undefined;
  static of(code: Conflict["error"]["code"], message: string): Conflict {
    return new Conflict({ error: { code, message } });
  }
  /** Fields that are fixed while people are enrolled in an experiment (contract U7). */
  static experiment(fields: Fields): Conflict {
    return new Conflict({ error: { code: "experiment_running", message: summary(fields), fields } });
  }
}

/** 412: the resource has another version than the request expects. */
export class PreconditionFailed extends Schema.Error<PreconditionFailed>("PreconditionFailed")(
  errorBody(["version_conflict"], "The campaign has changed since you read it: read it again."),
  errorOptions(412, "The resource has another version than `If-Match` names."),
) {
  readonly _tag = "PreconditionFailed";
  static version(noun: string): PreconditionFailed {
    const message =
      `The ${noun} has changed since you read it, so this change was not made: read it again, and send ` +
      "its current ETag as If-Match.";
    return new PreconditionFailed({ error: { code: "version_conflict", message } });
  }
}

/** 413: the body is over its endpoint's limit. */
export class PayloadTooLarge extends Schema.Error<PayloadTooLarge>("PayloadTooLarge")(
  errorBody(["payload_too_large"], "The body may have at most 1 MiB."),
  errorOptions(413, "The body is over the endpoint's limit."),
) {
  readonly _tag = "PayloadTooLarge";
  static of(limitBytes: number): PayloadTooLarge {
    const limit = `${limitBytes / 1_048_576} MiB`;
    return new PayloadTooLarge({
      error: { code: "payload_too_large", message: `The body of this request may have at most ${limit}.` },
    });
  }
}

/** 415: the endpoint does not accept this content type. */
export class UnsupportedMediaType extends Schema.Error<UnsupportedMediaType>("UnsupportedMediaType")(
  errorBody(["unsupported_media_type"], "Send the body as application/json."),
  errorOptions(415, "The endpoint does not accept this content type."),
) {
  readonly _tag = "UnsupportedMediaType";
  static of(taken: ReadonlyArray<string>): UnsupportedMediaType {
    return new UnsupportedMediaType({
      error: { code: "unsupported_media_type", message: `Send the body as ${taken.join(" or ")}.` },
    });
  }
}

/** 422: the request is readable, but some of its values are wrong. */
export class Unprocessable extends Schema.Error<Unprocessable>("Unprocessable")(
  errorBody(
    ["validation_failed", "invalid_parameter", "invalid_cursor"],
    "Some fields are not right: see fields.",
    withFields,
  ),
  errorOptions(422, "A field, parameter or cursor is not right."),
) {
  readonly _tag = "Unprocessable";
  /** Problems of the body (or of a report's parameters). */
  static validation(fields: Fields): Unprocessable {
    return new Unprocessable({ error: { code: "validation_failed", message: summary(fields), fields } });
  }
  /** Problems of query parameters or headers. */
  static parameters(fields: Fields): Unprocessable {
    return new Unprocessable({ error: { code: "invalid_parameter", message: summary(fields), fields } });
  }
  static cursor(): Unprocessable {
    return new Unprocessable({
      error: {
        code: "invalid_cursor",
        message:
          "The cursor was not issued for this list and these filters, or is over 24 hours old: start again " +
          "without a cursor.",
      },
    });
  }
}

/** 429: wait `retryAfter` seconds (the `Retry-After` header). */
export class TooManyRequests extends Schema.Error<TooManyRequests>("TooManyRequests")(
  errorBody(["rate_limited", "too_many_failed_attempts"], "Too many requests: try again in 12 seconds."),
  errorOptions(429, "Too many requests, or too many unknown tokens: wait Retry-After seconds."),
) {
  readonly _tag = "TooManyRequests";
  /** Seconds to wait. */
  readonly retryAfter: number = 1;
  static of(code: TooManyRequests["error"]["code"], message: string, retryAfter: number): TooManyRequests {
    return Object.assign(new TooManyRequests({ error: { code, message } }), { retryAfter });
  }
}

/** 500: an internal error. The message has the request id and no internal details. */
export class InternalError extends Schema.Error<InternalError>("InternalError")(
  errorBody(
    ["internal_error"],
    "Something went wrong on our side. Please give this request id when you report it: 4f0c…",
  ),
  errorOptions(500, "A fault of the service: retry with backoff."),
) {
  readonly _tag = "InternalError";
  static of(requestId: string): InternalError {
    const message =
      "Something went wrong on our side. Please give this request id when you report it: " + requestId;
    return new InternalError({ error: { code: "internal_error", message } });
  }
}

/** 503: the database or the media store is unreachable, or report figures are still being computed. */
export class ServiceUnavailable extends Schema.Error<ServiceUnavailable>("ServiceUnavailable")(
  errorBody(
    ["service_unavailable"],
    "The service cannot reach its database at the moment: try again in a few seconds.",
  ),
  errorOptions(503, "Temporarily unavailable: wait Retry-After seconds."),
) {
  readonly _tag = "ServiceUnavailable";
  /** Seconds to wait. */
  readonly retryAfter: number = 2;
  static of(
    message = "The service cannot reach its database at the moment: try again in a few seconds.",
    retryAfter = 2,
  ): ServiceUnavailable {
    return Object.assign(new ServiceUnavailable({ error: { code: "service_unavailable", message } }), {
      retryAfter,
    });
  }
}

/** Every error that an interface of Waypost responds with; all have one shape. */
export type ApiError =
  | Unauthorized
  | Forbidden
  | NotFound
  | MethodNotAllowed
  | Conflict
  | PreconditionFailed
  | PayloadTooLarge
  | UnsupportedMediaType
  | Unprocessable
  | TooManyRequests
  | InternalError
  | ServiceUnavailable;

/** The errors of every endpoint with a body. */
export const bodyErrors = [PayloadTooLarge, UnsupportedMediaType, Unprocessable] as const;
