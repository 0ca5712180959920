import * as Rule from "../../src/outgoing/ConcurrencyRule.ts";

/** How a destination answers one call. */
export interface Answer {
  readonly millis: number;
  readonly verdict: Rule.Verdict;
}

/** The result of a simulation. Instants are milliseconds. */
interface Simulated {
  readonly state: Rule.DestinationState;
  readonly now: number;
  /** The calls in flight, by the instant at which they end. */
  readonly open: ReadonlyArray<{
    readonly at: number;
    readonly began: number;
    readonly verdict: Rule.Verdict;
  }>;
}

/**
 * Calls a destination for so many seconds, whenever there is room. `answer` decides on a call when it starts,
 * by the calls in flight. The figures are calls a second: all, and those that were started and answered.
 */
export const simulate = (
  bounds: Rule.Bounds,
  answer: (inFlight: number) => Answer,
  seconds: number,
  before: Simulated = { state: Rule.initialState(bounds), now: 0, open: [] },
) => {
  const end = before.now + seconds * 1_000;
  const open = [...before.open];
  let { now, state } = before;
  let calls = 0;
  let ended = 0;
  let lowest = state.limit;
  while (now < end) {
    for (let room = Rule.roomOf(state, now); room > 0; room--) {
      state = Rule.started(state, 1);
      const { millis, verdict } = answer(state.inFlight);
      open.push({ at: now + millis, began: now, verdict });
      calls += 1;
    }
    const next = open.reduce((first, { at }) => Math.min(first, at), Infinity);
    now = Math.min(
      end,
      state.inFlight < state.limit ? Math.min(next, Math.max(state.pausedUntil, now + 1)) : next,
    );
    for (const call of open.filter(({ at }) => at <= now)) {
      open.splice(open.indexOf(call), 1);
      state = Rule.ended(bounds, state, call.verdict, now - call.began, now);
      lowest = Math.min(lowest, state.limit);
      ended += 1;
    }
  }
  const { inFlight, limit } = state;
  return { state, now, open, calls, answered: ended / seconds, inFlight, limit, lowest };
};
