import type { ClientClock, SignalLike } from "./Portable.ts";
import { parseError, type ReceivedResponse } from "./WaypostError.ts";

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

/** The result of one attempt: a complete response, or why there is none. */
export type AttemptResult =
  { readonly response: ReceivedResponse } | { readonly response: null; readonly cause: unknown };

/** An attempt exceeded its timeout. It is the `cause` of the error. */
export class AttemptTimedOut extends Error {
  override readonly name = "AttemptTimedOut";
}

/** The seconds of a `Retry-After` header, which is a number or a date; null if it is missing or invalid. */
export const retryAfterSeconds = (
  header: (name: string) => string | null,
  nowMs: number = performance.timeOrigin + performance.now(),
): number | null => {
  const text = header("retry-after")?.trim();
  if (text === undefined || text === "") return null;
  if (/^\d+(\.\d+)?$/.test(text)) return Number(text);
  const until = Date.parse(text);
  // Relative to the time of the server if it sends one: the clock of this machine may be wrong.
  const serverTime = Date.parse(header("date") ?? "");
  const wait = until - (Number.isNaN(serverTime) ? nowMs : serverTime);
  return Number.isNaN(wait) ? null : Math.max(0, Math.ceil(wait / 1000));
};

const temporaryStatuses = new Set([429, 500, 502, 503, 504]);

/**
 * Whether the same request may succeed later. A request that must not run twice is only repeated if the
 * server says that it refused it for its rate.
 */
const isTemporary = ({ response }: AttemptResult, isRepeatable: boolean): boolean => {
  if (!isRepeatable) return response?.status === 429;
  if (response === null) return true;
  if (response.status !== 409) return temporaryStatuses.has(response.status);
  return parseError(response.text)?.code === "request_in_progress";
};

/** The pause before the next attempt: random up to a doubling ceiling, or at least `Retry-After`. */
const pauseMillis = (policy: RetryPolicy, attempt: number, retryAfter: number | null, share: number) =>
  Math.round(
    retryAfter === null
      ? share * Math.min(policy.maxPauseMs, policy.firstPauseMs * 2 ** (attempt - 1))
      : retryAfter * 1000 + share * policy.firstPauseMs,
  );

/** Waits. Rejects with the signal's reason when it is aborted. */
const pause = (milliseconds: number, clock: ClientClock, signal: SignalLike | undefined): Promise<void> =>
  new Promise((resolve, reject) => {
    const onAbort = (): void => {
      cancel();
      // The reason is the caller's, whatever it is.
      // oxlint-disable-next-line typescript/prefer-promise-reject-errors
      reject(signal?.reason);
    };
    const cancel = clock.schedule(milliseconds, () => {
      signal?.removeEventListener("abort", onAbort);
      resolve();
    });
    signal?.addEventListener("abort", onAbort);
  });

/** A request to retry, and how. */
export interface RetriedRequest {
  readonly method: string;
  readonly url: string;
  /** Whether the request may run twice. */
  readonly isRepeatable: boolean;
  readonly policy: RetryPolicy;
  readonly clock: ClientClock;
  readonly signal: SignalLike | undefined;
  readonly onRetry: ((retry: Retry) => void) | undefined;
}

/**
 * Repeats attempts that may succeed later: without a complete response, or with 429, 500, 502, 503, 504 or
 * 409 `request_in_progress`. It waits as long as `Retry-After` says, or by full jitter, within the limits of
 * the policy. The last result is returned.
 */
export const withRetries = async (
  request: RetriedRequest,
  runAttempt: () => Promise<AttemptResult>,
): Promise<AttemptResult> => {
  const { clock, isRepeatable, method, onRetry, policy, signal, url } = request;
  const startedAt = clock.now();
  for (let attempt = 1; ; attempt++) {
    const result = await runAttempt();
    if (attempt >= policy.attempts || !isTemporary(result, isRepeatable)) return result;
    const retryAfter = result.response?.retryAfter ?? null;
    const waitMs = pauseMillis(policy, attempt, retryAfter, clock.random());
    if (clock.now() - startedAt + waitMs > policy.totalMs) return result;
    onRetry?.({ attempt, waitMs, status: result.response?.status ?? null, method, url });
    await pause(waitMs, clock, signal);
  }
};
