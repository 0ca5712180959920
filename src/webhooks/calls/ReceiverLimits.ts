import { ConcurrencyLimits } from "../../outgoing/ConcurrencyLimits.ts";
import { roomOf, type Verdict } from "../../outgoing/ConcurrencyRule.ts";
import { type CallResult, isSuccess } from "./CallResult.ts";

const bounds = { initial: 8, min: 1 };
/** Calls with batches are large. */
const maxBatchLimit = 8;
/** The most calls that a process has in flight. */
const maxInFlight = 2_048;
/** How many of these may be to webhooks whose last call failed, so that those that answer have room. */
const maxSuspect = 1_024;

/** The verdict of a result on its receiver: 429 and `Retry-After` ask for fewer calls. */
export const verdictOf = (result: CallResult): Verdict => {
  const { retryAfter, statusCode } = result;
  if (isSuccess(result)) return "success";
  if (statusCode === 429 || retryAfter !== null) return "throttled";
  return statusCode === null || statusCode >= 500 || statusCode === 408 ? "failed" : "refused";
};

/** The in-flight limits of the webhooks that a process calls, by name, and of all together. */
export class ReceiverLimits {
  readonly #limits = new ConcurrencyLimits(bounds);

  /** How many more calls can be started. Room for few is none, so that calls are taken many at a time. */
  room(name: string, isBatch: boolean, now: number): number {
    const state = this.#limits.of(name);
    const max = Math.min(Math.floor(state.limit), isBatch ? maxBatchLimit : maxInFlight);
    const room = Math.min(max - state.inFlight, roomOf(state, now));
    if (room * 2 < max) return 0;
    const rest = Math.min(
      maxInFlight - this.#limits.inFlight,
      state.failures > 0 ? maxSuspect - this.#limits.suspect : maxInFlight,
    );
    return Math.max(0, Math.min(rest, room));
  }

  /** Calls were started. */
  started(name: string, count: number): void {
    this.#limits.started(name, count);
  }

  /** A call ended after so many milliseconds. */
  ended(name: string, result: CallResult, millis: number, now: number): void {
    this.#limits.ended(name, verdictOf(result), millis, now);
  }
}
