import { assert, describe, it } from "@effect/vitest";
import * as Rule from "../../src/outgoing/ConcurrencyRule.ts";
import { Dice } from "../sending/Dice.ts";

/** How a destination answers one call. */
interface Answer {
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
const simulate = (
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

const bounds = { initial: 8, min: 1 };

const after = (state: Rule.DestinationState, ...verdicts: ReadonlyArray<Rule.Verdict>) =>
  verdicts.reduce((next, verdict) => Rule.ended(bounds, Rule.started(next, 1), verdict, 20, 0), state);
const times = (count: number, verdict: Rule.Verdict) => Array.from({ length: count }, () => verdict);

const initial = Rule.initialState(bounds);
const highest = after(initial, ...times(1_100, "success"));

const healthy: Answer = { millis: 20, verdict: "success" };
const failing = (share: number, seed: number) => {
  const dice = new Dice(seed);
  return (): Answer => (dice.chance(share) ? { millis: 20, verdict: "failed" } : healthy);
};
const hanging: Answer = { millis: 15_000, verdict: "failed" };

describe("The limit of calls to one destination", () => {
  it("a success raises it, a failure lowers it by twice as much, but not below the initial one", () => {
    assert.strictEqual(after(initial, "success").limit, 9);
    assert.strictEqual(highest.limit, 128);
    assert.strictEqual(after(highest, "failed").limit, 128 - 2 * (8 / 128));
    assert.strictEqual(after(initial, "success", "failed").limit, 8);
    assert.strictEqual(after(highest, "refused").limit, 128);
  });

  it("a request to slow down halves it, down to the lowest one", () => {
    assert.strictEqual(after(highest, "throttled").limit, 64);
    assert.strictEqual(after(initial, ...times(4, "throttled")).limit, 1);
    assert.strictEqual(Rule.roomOf(after(highest, ...times(6, "throttled")), 0), 2);
  });

  it("from the eighth failure in a row on it is halved, and calls pause, longer each time", () => {
    const failures = (count: number) => after(initial, ...times(count, "failed"));
    assert.deepStrictEqual(
      [1, 7, 8, 9, 10, 20].map((count) => failures(count).limit),
      [8, 8, 4, 2, 1, 1],
    );
    assert.deepStrictEqual(
      [1, 7, 8, 9, 10, 30].map((count) => failures(count).pausedUntil),
      [0, 0, 50, 100, 200, 2_000],
    );
    assert.strictEqual(Rule.roomOf(failures(8), 49), 0);
    assert.strictEqual(Rule.roomOf(failures(8), 50), 4);
    assert.strictEqual(after(initial, ...times(8, "refused")).pausedUntil, 50);
    assert.strictEqual(after(failures(20), "success", ...times(7, "failed")).limit, 2);
  });

  it("an abandoned call is no longer in flight and says nothing else", () => {
    const state = Rule.ended(bounds, Rule.started(highest, 1), null, 15_000, 0);
    assert.deepStrictEqual({ ...state, callMillis: 0 }, { ...highest, callMillis: 0 });
  });
});

describe("Calls to a simulated destination", () => {
  const healthyRate = simulate(bounds, () => healthy, 10).answered;

  it("a healthy one gets as many calls as the highest limit allows", () => {
    assert.isAbove(healthyRate, 6_000);
  });

  for (const [share, least] of [
    [0.05, 0.95],
    [0.1, 0.9],
    [0.2, 0.85],
  ] as const) {
    it(`with ${share * 100} % failures ${least * 100} % of a healthy rate remains (N4.7)`, () => {
      for (let seed = 1; seed <= 5; seed++) {
        const { answered } = simulate(bounds, failing(share, seed), 10);
        assert.isAbove(answered, least * healthyRate, `seed ${seed}`);
      }
    });
  }

  it("one that fails half of its calls keeps the calls of a new one", () => {
    for (let seed = 1; seed <= 5; seed++) {
      const { answered, limit } = simulate(bounds, failing(0.5, seed), 30);
      assert.isBelow(limit, 20, `seed ${seed}`);
      assert.isAbove(answered, 150, `seed ${seed}`);
    }
  });

  it("one that fails all calls gets one every two seconds, and all its calls soon after it recovers", () => {
    const down = simulate(bounds, () => ({ millis: 20, verdict: "failed" }), 600);
    assert.strictEqual(down.limit, 1);
    assert.isAtMost(down.calls, 320);
    const { answered } = simulate(bounds, () => healthy, 10, down);
    assert.isAbove(answered, 0.7 * healthyRate);
  });

  it("one that hangs holds one call at a time, and gets all its calls soon after it recovers (N4.5)", () => {
    const busy = simulate(bounds, () => healthy, 10);
    const down = simulate(bounds, () => hanging, 600, busy);
    assert.deepStrictEqual([down.limit, down.inFlight], [1, 1]);
    assert.isAtMost(down.calls, 128 + 40);
    const up = simulate(bounds, () => healthy, 30, down);
    assert.isAbove(up.answered, 0.4 * healthyRate);
    assert.strictEqual(up.limit, 128);
  });

  it("one that queues calls gets about twice as many as it can work on, and is always busy", () => {
    for (const capacity of [10, 20]) {
      const queueing = (inFlight: number): Answer => ({
        millis: 200 * Math.max(1, inFlight / capacity),
        verdict: "success",
      });
      const { answered, limit } = simulate(bounds, queueing, 120);
      assert.isBelow(limit, 4 * capacity, `capacity ${capacity}`);
      assert.isAbove(answered, 0.95 * capacity * 5, `capacity ${capacity}`);
    }
  });

  it("one that has become slower for good gets the highest limit again", () => {
    const quick = simulate(bounds, () => ({ millis: 100, verdict: "success" }), 60);
    const slower = simulate(bounds, () => ({ millis: 3_000, verdict: "success" }), 40, quick);
    assert.isBelow(slower.lowest, 20);
    assert.strictEqual(
      simulate(bounds, () => ({ millis: 3_000, verdict: "success" }), 300, slower).limit,
      128,
    );
  });

  it("one that grows slower and slower until it hangs, holds few calls then", () => {
    let millis = 100;
    const growing = (): Answer => {
      millis *= 1.002;
      return millis < 15_000 ? { millis, verdict: "success" } : hanging;
    };
    assert.isAtMost(simulate(bounds, growing, 600).inFlight, 1);
  });
});
