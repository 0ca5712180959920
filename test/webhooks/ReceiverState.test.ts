import { assert, describe, it } from "@effect/vitest";
import { ReceiverLimits } from "../../src/webhooks/calls/ReceiverLimits.ts";
import * as State from "../../src/webhooks/calls/ReceiverState.ts";

const after = (state: State.ReceiverState, ...verdicts: ReadonlyArray<State.Verdict>) =>
  verdicts.reduce((next, verdict) => State.ended(State.started(next, 1), verdict, 0), state);

describe("The limit of calls in flight", () => {
  it("successes raise the limit by one each, missing answers halve it (N4)", () => {
    const grown = after(State.initialState, "success", "success");
    assert.strictEqual(grown.limit, State.initialState.limit + 2);
    assert.strictEqual(after(grown, "overloaded").limit, 5);
    assert.strictEqual(after(grown, "overloaded", "overloaded", "overloaded", "overloaded").limit, 1);
    assert.strictEqual(after(grown, "refused").limit, grown.limit);
    const highest = after(State.initialState, ...Array.from({ length: 200 }, () => "success" as const));
    assert.strictEqual(highest.limit, 128);
    assert.strictEqual(State.roomOf(highest, false, 0), 128);
    assert.strictEqual(State.roomOf(highest, true, 0), 8);
  });

  it("calls are taken when half of the room is free", () => {
    const state = State.started(State.initialState, 5);
    assert.strictEqual(State.roomOf(state, false, 0), 0);
    assert.strictEqual(State.roomOf(State.ended(state, "success", 0), false, 0), 5);
  });

  it("after three failures in a row the next call waits, longer each time, until a success (N4)", () => {
    const failures = (count: number) =>
      after(State.initialState, ...Array.from({ length: count }, () => "overloaded" as const));
    assert.deepStrictEqual(
      [1, 2, 3, 4, 5, 20].map((count) => failures(count).pausedUntil),
      [0, 0, 50, 100, 200, 2_000],
    );
    assert.strictEqual(State.roomOf(failures(3), false, 49), 0);
    assert.strictEqual(State.roomOf(failures(3), false, 50), 1);
    assert.strictEqual(after(failures(20), "success").pausedUntil, 0);
  });

  it("an answer of 5xx, 408, 429 or none means overloaded, another one refused (N4)", () => {
    assert.deepStrictEqual(
      [null, 500, 503, 408, 429, 400, 301, 410].map((status) => State.verdictOf(status, false)),
      ["overloaded", "overloaded", "overloaded", "overloaded", "overloaded", "refused", "refused", "refused"],
    );
    assert.strictEqual(State.verdictOf(204, true), "success");
  });

  it("webhooks that fail leave half of the room to the others (N4)", () => {
    const limits = new ReceiverLimits();
    for (let index = 0; index < 2_000; index++) {
      const name = `hanging-${index}`;
      limits.started(name, 1);
      limits.ended(name, null, false, 0);
      limits.started(name, Math.min(1, limits.room(name, false, 0)));
    }
    assert.strictEqual(limits.room("hanging-1", false, 0), 0);
    assert.strictEqual(limits.room("answering", false, 0), State.initialState.limit);
  });
});
