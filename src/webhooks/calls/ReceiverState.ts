/** Limits on the calls that a process has in flight to one webhook. */
const initialLimit = 8;
const maxLimit = 128;
/** Calls with batches are large. */
const maxBatchLimit = 8;

/** After so many failures in a row, the next call waits: first this long, then doubled, up to the maximum. */
const toleratedFailures = 3;
const firstPauseMillis = 50;
const maxPauseMillis = 2_000;

/**
 * Decides how many calls to a webhook a process has in flight. AIMD: a success raises the limit by one, a
 * missing or overloaded answer halves it. The functions below decide, or return the state after an event.
 */
export interface ReceiverState {
  readonly inFlight: number;
  readonly limit: number;
  /** Failures since the last success. */
  readonly failures: number;
  /** Nothing is started before, in epoch milliseconds. */
  readonly pausedUntil: number;
}

/** A webhook that was not called yet. */
export const initialState: ReceiverState = { inFlight: 0, limit: initialLimit, failures: 0, pausedUntil: 0 };

/** How many more calls can be started. Room for few is none, so that calls are taken many at a time. */
export const roomOf = ({ inFlight, limit, pausedUntil }: ReceiverState, isBatch: boolean, now: number) => {
  if (now < pausedUntil) return 0;
  const max = isBatch ? Math.min(limit, maxBatchLimit) : limit;
  const room = max - inFlight;
  return room * 2 >= max ? room : 0;
};

/** Calls were started. */
export const started = (state: ReceiverState, count: number): ReceiverState => ({
  ...state,
  inFlight: state.inFlight + count,
});

/** The receiver's health by a result. `refused`: it answered, but not with success. */
export type Verdict = "success" | "refused" | "overloaded";

/** The verdict on an answer's status; null for none. */
export const verdictOf = (statusCode: number | null, isSuccess: boolean): Verdict => {
  if (isSuccess) return "success";
  return statusCode === null || statusCode >= 500 || statusCode === 429 || statusCode === 408
    ? "overloaded"
    : "refused";
};

/** A call ended. */
export const ended = (state: ReceiverState, verdict: Verdict, now: number): ReceiverState => {
  const inFlight = Math.max(0, state.inFlight - 1);
  if (verdict === "success") {
    return { inFlight, limit: Math.min(maxLimit, state.limit + 1), failures: 0, pausedUntil: 0 };
  }
  const failures = state.failures + 1;
  const exponent = Math.min(10, failures - toleratedFailures);
  const pause = exponent < 0 ? 0 : Math.min(maxPauseMillis, firstPauseMillis * 2 ** exponent);
  return {
    inFlight,
    limit: verdict === "overloaded" ? Math.max(1, Math.floor(state.limit / 2)) : state.limit,
    failures,
    pausedUntil: pause === 0 ? state.pausedUntil : now + pause,
  };
};
