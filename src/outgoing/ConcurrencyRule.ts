/** The bounds of a destination's limit, below the highest limit. */
export interface Bounds {
  /** The limit of a new destination. Only failures in a row and requests to slow down lower it further. */
  readonly initial: number;
  readonly min: number;
}

/** The highest limit on calls in flight to one destination. */
export const maxLimit = 128;
/** Successes that make up for one failure: the limit rises while fewer than a third of the calls fail. */
const failureCost = 2;
/** Failures in a row from which on a destination is down: its limit is halved, and its calls pause. */
const failuresWhenDown = 8;
/** The pause after so many failures is doubled by each further one, up to the maximum. */
const [firstPauseMillis, maxPauseMillis] = [50, 2_000];
/** Answers are slow if they take this many times as long as with few calls in flight, and at least this. */
const [slowFactor, slowMillis] = [2, 500];
const [minCallMillis, maxCallMillis] = [5, 10_000];

/**
 * Decides how many calls a process has in flight to one destination: a push service, or the receiver of a
 * webhook. The limit follows the share of recent calls that fail, and the time that answers take. The
 * functions below decide, or return the state after an event. Instants are epoch milliseconds.
 */
export interface DestinationState {
  readonly inFlight: number;
  readonly limit: number;
  /** Failures since the last success. */
  readonly failures: number;
  /** Nothing is started before. */
  readonly pausedUntil: number;
  /** Moving average of the duration of calls, timeouts included, in milliseconds. */
  readonly callMillis: number;
  /** Moving average of the time of answers, in milliseconds; 0 before the first. */
  readonly answerMillis: number;
  /** The same while few calls were in flight, or the lowest since. */
  readonly baseMillis: number;
}

/** A destination that was not called yet. */
export const initialState = ({ initial }: Bounds): DestinationState => ({
  inFlight: 0,
  limit: initial,
  failures: 0,
  pausedUntil: 0,
  callMillis: 50,
  answerMillis: 0,
  baseMillis: 0,
});

/** How much one call counts: all calls that are in flight together move the limit by the initial one. */
const stepOf = ({ initial }: Bounds, limit: number): number => Math.min(1, initial / limit);

/** The limit after so many steps down. */
const lowered = (bounds: Bounds, limit: number, steps: number): number =>
  Math.max(Math.min(limit, bounds.initial), limit - steps * stepOf(bounds, limit));

const averaged = (average: number, sample: number): number => average + (sample - average) / 8;

/** How many more calls can be started. */
export const roomOf = ({ inFlight, limit, pausedUntil }: DestinationState, now: number): number =>
  now < pausedUntil ? 0 : Math.max(0, Math.floor(limit) - inFlight);

/** Calls were started. */
export const started = (state: DestinationState, count: number): DestinationState => ({
  ...state,
  inFlight: state.inFlight + count,
});

/** The destination asks for a pause. */
export const backedOff = (state: DestinationState, until: number): DestinationState => ({
  ...state,
  pausedUntil: Math.max(state.pausedUntil, until),
});

/**
 * The meaning of a result for its destination. `failed`: no answer, or an error of the destination.
 * `throttled`: it asks for fewer calls. `refused`: it answers, but takes this call never.
 */
export type Verdict = "success" | "refused" | "failed" | "throttled";

const succeeded = (bounds: Bounds, state: DestinationState, millis: number): DestinationState => {
  const { limit } = state;
  const answerMillis = averaged(state.answerMillis || millis, millis);
  const baseMillis =
    limit <= bounds.initial
      ? averaged(state.baseMillis || millis, millis)
      : Math.min(state.baseMillis, answerMillis);
  const isSlow = answerMillis > Math.max(slowMillis, slowFactor * baseMillis);
  const next = isSlow ? lowered(bounds, limit, 1) : limit + stepOf(bounds, limit);
  return { ...state, failures: 0, limit: Math.min(maxLimit, next), answerMillis, baseMillis };
};

const limitAfter = (bounds: Bounds, limit: number, failures: number, verdict: Verdict): number => {
  if (verdict === "refused") return limit;
  if (verdict === "throttled" || failures >= failuresWhenDown) return Math.max(bounds.min, limit / 2);
  return lowered(bounds, limit, failureCost);
};

/** A call ended after so many milliseconds; without a verdict if it was abandoned. */
export const ended = (
  bounds: Bounds,
  before: DestinationState,
  verdict: Verdict | null,
  millis: number,
  now: number,
): DestinationState => {
  const taken = Math.min(maxCallMillis, Math.max(minCallMillis, millis));
  const state = {
    ...before,
    inFlight: Math.max(0, before.inFlight - 1),
    callMillis: averaged(before.callMillis, taken),
  };
  if (verdict === null) return state;
  if (verdict === "success") return succeeded(bounds, state, taken);
  const failures = state.failures + 1;
  const limit = limitAfter(bounds, state.limit, failures, verdict);
  if (failures < failuresWhenDown) return { ...state, failures, limit };
  const pause = Math.min(maxPauseMillis, firstPauseMillis * 2 ** Math.min(10, failures - failuresWhenDown));
  return backedOff({ ...state, failures, limit }, now + pause);
};
