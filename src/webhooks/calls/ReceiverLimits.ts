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

/** New limits of the webhooks that a process calls, by name. */
export const receiverLimits = (): ConcurrencyLimits => new ConcurrencyLimits(bounds);

/** How many more calls can be started. Room for few is none, so that calls are taken many at a time. */
export const roomFor = (limits: ConcurrencyLimits, name: string, isBatch: boolean, now: number): number => {
  const state = limits.of(name);
  const max = Math.min(Math.floor(state.limit), isBatch ? maxBatchLimit : maxInFlight);
  const room = Math.min(max - state.inFlight, roomOf(state, now));
  if (room * 2 < max) return 0;
  const suspectRoom = state.failures > 0 ? maxSuspect - limits.suspect : maxSuspect;
  return Math.max(0, Math.min(maxInFlight - limits.inFlight, suspectRoom, room));
};
