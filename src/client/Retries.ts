import { Clock, Duration, Effect, Random, Result } from "effect";
import { HttpClient, HttpClientError, HttpClientRequest, type HttpClientResponse } from "effect/http";
import { parseError } from "./WaypostError.ts";

/** When to retry a call. */
export interface RetryPolicy {
  /** Maximum number of attempts of one call, including the first. The default is 5; 1 disables retries. */
  readonly attempts: number;
  /** No attempt starts this many milliseconds after the start of the call. The default is 120,000. */
  readonly totalMs: number;
  /** Maximum pause before the second attempt, in milliseconds; it doubles. The default is 250. */
  readonly firstPauseMs: number;
  /** Maximum pause without a `Retry-After`, in milliseconds. The default is 10,000. */
  readonly maxPauseMs: number;
}

/** The default retry policy. */
export const defaultRetryPolicy: RetryPolicy = {
  attempts: 5,
  totalMs: 120_000,
  firstPauseMs: 250,
  maxPauseMs: 10_000,
};

/** A failed attempt that will be retried. */
export interface Retry {
  /** Number of the failed attempt, from 1. */
  readonly attempt: number;
  /** Time until the next attempt, in milliseconds. */
  readonly waitMs: number;
  /** HTTP status of the response; null if there was none. */
  readonly status: number | null;
  readonly method: string;
  readonly url: string;
}

/** Settings of retries. */
export interface RetrySettings {
  /** Timeout of one attempt including its response body, in milliseconds. */
  readonly timeoutMs: number;
  readonly retry: RetryPolicy;
  readonly onRetry?: ((retry: Retry) => void) | undefined;
}

type Response = HttpClientResponse.HttpClientResponse;
type AttemptResult = Result.Result<Response, HttpClientError.HttpClientError>;

/** An attempt exceeded its timeout. It is the `cause` of a transport error. */
export class AttemptTimedOut extends Error {
  override readonly name = "AttemptTimedOut";
}

/** The seconds of a `Retry-After` header, which is a number or a date; null if it is missing or invalid. */
export const retryAfterSeconds = (
  headers: Readonly<Record<string, string | undefined>>,
  nowMs: number,
): number | null => {
  const text = headers["retry-after"]?.trim();
  if (text === undefined || text === "") return null;
  if (/^\d+(\.\d+)?$/.test(text)) return Number(text);
  const until = Date.parse(text);
  // Relative to the time of the server if it sends one: the clock of this machine may be wrong.
  const serverTime = Date.parse(headers["date"] ?? "");
  const wait = until - (Number.isNaN(serverTime) ? nowMs : serverTime);
  return Number.isNaN(wait) ? null : Math.max(0, Math.ceil(wait / 1000));
};

const temporaryStatuses = new Set([429, 500, 502, 503, 504]);

/** Whether the same request may succeed later. The body of the response is already read. */
const isTemporary = (attempt: AttemptResult): Effect.Effect<boolean> => {
  if (Result.isFailure(attempt)) {
    const { _tag } = attempt.failure.reason;
    // A truncated body is a lost response, like no response at all.
    return Effect.succeed(_tag === "TransportError" || _tag === "DecodeError");
  }
  const response = attempt.success;
  if (response.status !== 409) return Effect.succeed(temporaryStatuses.has(response.status));
  return Effect.match(response.text, {
    onSuccess: (text) => parseError(text)?.code === "request_in_progress",
    onFailure: () => false,
  });
};

/** The pause before the next attempt: random up to a doubling ceiling, or at least `Retry-After`. */
const pauseMillis = (policy: RetryPolicy, attempt: number, retryAfter: number | null) =>
  Effect.map(Random.next, (share) =>
    retryAfter === null
      ? share * Math.min(policy.maxPauseMs, policy.firstPauseMs * 2 ** (attempt - 1))
      : retryAfter * 1000 + share * policy.firstPauseMs,
  );

/** One attempt including its response body, within its timeout. */
const runAttempt = (
  attempt: Effect.Effect<Response, HttpClientError.HttpClientError>,
  request: HttpClientRequest.HttpClientRequest,
  timeoutMs: number,
): Effect.Effect<AttemptResult> =>
  attempt.pipe(
    Effect.tap((response) => response.text),
    Effect.timeoutOrElse({
      duration: Duration.millis(timeoutMs),
      orElse: () =>
        Effect.fail(
          new HttpClientError.HttpClientError({
            reason: new HttpClientError.TransportError({
              request,
              cause: new AttemptTimedOut(
                `There was no complete response within ${timeoutMs / 1000} seconds.`,
              ),
            }),
          }),
        ),
    }),
    Effect.result,
  );

/**
 * Retries requests that may succeed later: without a response, with a truncated one, or with 429, 500, 502,
 * 503, 504 or 409 `request_in_progress`. It waits as long as `Retry-After` says, or by full jitter, within
 * the limits of the policy. The last response is returned. A change without an `Idempotency-Key` gets one for
 * all its attempts, so that it happens once (contract J1, J2).
 */
export const retrying =
  ({ onRetry, retry, timeoutMs }: RetrySettings) =>
  (client: HttpClient.HttpClient): HttpClient.HttpClient =>
    client.pipe(
      HttpClient.transform((sendOnce, request) =>
        Effect.gen(function* () {
          const startedAt = yield* Clock.currentTimeMillis;
          for (let attempt = 1; ; attempt++) {
            const result = yield* runAttempt(sendOnce, request, timeoutMs);
            if (attempt >= retry.attempts || !(yield* isTemporary(result)))
              return yield* Effect.fromResult(result);
            const now = yield* Clock.currentTimeMillis;
            const response = Result.isSuccess(result) ? result.success : null;
            const retryAfter = response === null ? null : retryAfterSeconds(response.headers, now);
            const waitMs = Math.round(yield* pauseMillis(retry, attempt, retryAfter));
            if (now - startedAt + waitMs > retry.totalMs) return yield* Effect.fromResult(result);
            onRetry?.({
              attempt,
              waitMs,
              status: response?.status ?? null,
              method: request.method,
              url: request.url,
            });
            yield* Effect.sleep(Duration.millis(waitMs));
          }
        }),
      ),
      // Outside of the retries, so that all attempts share the key.
      HttpClient.mapRequest((request) =>
        request.method === "GET" ||
        request.method === "HEAD" ||
        request.headers["idempotency-key"] !== undefined
          ? request
          : HttpClientRequest.setHeader(request, "idempotency-key", newKey()),
      ),
    );

/** A random UUID. Browsers offer `crypto.randomUUID` on https pages only. */
const newKey = (): string => {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");
};
