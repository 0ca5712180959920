import { Clock, Duration, Effect, Random, Result } from "effect";
import { HttpClient, HttpClientError, HttpClientRequest, type HttpClientResponse } from "effect/http";
import { saidError } from "./WaypostError.ts";

/** When a call is tried again. */
export interface RetryPolicy {
  /** Most attempts of one call, the first included; 5 unless said. 1: no retries. */
  readonly attempts: number;
  /** No attempt begins later than this after the call began, in milliseconds; 120,000 unless said. */
  readonly totalMs: number;
  /** Longest pause before the second attempt, in milliseconds; doubles with each attempt; 250 unless said. */
  readonly firstPauseMs: number;
  /** Longest pause that the client chooses by itself, in milliseconds; 10,000 unless said. */
  readonly longestPauseMs: number;
}

/** The policy of a client for which nothing else was said. */
export const defaultRetryPolicy: RetryPolicy = {
  attempts: 5,
  totalMs: 120_000,
  firstPauseMs: 250,
  longestPauseMs: 10_000,
};

/** A failed attempt that is followed by another one. */
export interface Retry {
  /** The attempt that failed, from 1. */
  readonly attempt: number;
  /** Milliseconds until the next one. */
  readonly waitMs: number;
  /** HTTP status of the answer; null where there was none. */
  readonly status: number | null;
  readonly method: string;
  readonly url: string;
}

/** What a client does beyond sending: waiting, trying again, and telling about it. */
export interface Persistence {
  /** Milliseconds that one attempt may take, its answer read to the end. */
  readonly timeoutMs: number;
  readonly retry: RetryPolicy;
  readonly onRetry?: ((retry: Retry) => void) | undefined;
}

type Response = HttpClientResponse.HttpClientResponse;
type Attempt = Result.Result<Response, HttpClientError.HttpClientError>;

/** An attempt took longer than its time: the `cause` of a transport error. */
export class AttemptTimedOut extends Error {
  override readonly name = "AttemptTimedOut";
}

/** Seconds of a `Retry-After`, as a number or a date; null where there is none, or none that can be read. */
export const retryAfterSeconds = (
  headers: Readonly<Record<string, string | undefined>>,
  nowMs: number,
): number | null => {
  const text = headers["retry-after"]?.trim();
  if (text === undefined || text === "") return null;
  if (/^\d+(\.\d+)?$/.test(text)) return Number(text);
  const until = Date.parse(text);
  // By the clock of the service where it says it: that of this machine may be off.
  const answered = Date.parse(headers["date"] ?? "");
  const wait = until - (Number.isNaN(answered) ? nowMs : answered);
  return Number.isNaN(wait) ? null : Math.max(0, Math.ceil(wait / 1000));
};

const temporary = new Set([429, 500, 502, 503, 504]);

/** Whether the same request may go well later. Its body has been read already. */
const isTemporary = (attempt: Attempt): Effect.Effect<boolean> => {
  if (Result.isFailure(attempt)) {
    const { _tag } = attempt.failure.reason;
    // A body that broke off is a lost answer, as no answer at all is.
    return Effect.succeed(_tag === "TransportError" || _tag === "DecodeError");
  }
  const response = attempt.success;
  if (response.status !== 409) return Effect.succeed(temporary.has(response.status));
  return Effect.match(response.text, {
    onSuccess: (text) => saidError(text)?.code === "request_in_progress",
    onFailure: () => false,
  });
};

/** Full jitter: anything up to a ceiling that doubles. What `Retry-After` says is never cut short, only spread. */
const pause = (policy: RetryPolicy, attempt: number, retryAfter: number | null) =>
  Effect.map(Random.next, (share) =>
    retryAfter === null
      ? share * Math.min(policy.longestPauseMs, policy.firstPauseMs * 2 ** (attempt - 1))
      : retryAfter * 1000 + share * policy.firstPauseMs,
  );

/** One attempt, its answer read to the end, within its time. */
const attempted = (
  once: Effect.Effect<Response, HttpClientError.HttpClientError>,
  request: HttpClientRequest.HttpClientRequest,
  timeoutMs: number,
): Effect.Effect<Attempt> =>
  once.pipe(
    Effect.tap((response) => response.text),
    Effect.timeoutOrElse({
      duration: Duration.millis(timeoutMs),
      orElse: () =>
        Effect.fail(
          new HttpClientError.HttpClientError({
            reason: new HttpClientError.TransportError({
              request,
              cause: new AttemptTimedOut(`There was no whole answer within ${timeoutMs / 1000} seconds.`),
            }),
          }),
        ),
    }),
    Effect.result,
  );

/**
 * Repeats requests that may go well later: no answer, a broken one, 429, 500, 502, 503, 504, and 409 `request_in_progress`. It waits as
 * long as `Retry-After` says, else by full jitter, within the bounds of the policy; the last answer is the answer. A change
 * without an `Idempotency-Key` gets one, the same for all its attempts, so that it happens once (contract J1, J2).
 */
export const persistent =
  ({ onRetry, retry, timeoutMs }: Persistence) =>
  (client: HttpClient.HttpClient): HttpClient.HttpClient =>
    client.pipe(
      HttpClient.transform((once, request) =>
        Effect.gen(function* () {
          const began = yield* Clock.currentTimeMillis;
          for (let attempt = 1; ; attempt++) {
            const result = yield* attempted(once, request, timeoutMs);
            if (attempt >= retry.attempts || !(yield* isTemporary(result)))
              return yield* Effect.fromResult(result);
            const now = yield* Clock.currentTimeMillis;
            const response = Result.isSuccess(result) ? result.success : null;
            const asked = response === null ? null : retryAfterSeconds(response.headers, now);
            const waitMs = Math.round(yield* pause(retry, attempt, asked));
            if (now - began + waitMs > retry.totalMs) return yield* Effect.fromResult(result);
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
      // Around the attempts, so that they share the key.
      HttpClient.mapRequest((request) =>
        request.method === "GET" ||
        request.method === "HEAD" ||
        request.headers["idempotency-key"] !== undefined
          ? request
          : HttpClientRequest.setHeader(request, "idempotency-key", newKey()),
      ),
    );

/** A random UUID. Not `crypto.randomUUID`, which browsers have on https pages only. */
const newKey = (): string => {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");
};
