import { assert, describe, it } from "@effect/vitest";
import * as State from "../../src/webhooks/calls/DispatcherState.ts";

const scan = (state: State.DispatcherState, now: number, isIdle: boolean) =>
  State.scanned(State.scanning(state), now, isIdle);

describe("The scans for due webhooks", () => {
  it("a scan follows the one before after the interval, and the first is at once", () => {
    assert.isAtMost(State.untilScan(State.initialState, 250, 0), 0);
    const after = scan(State.initialState, 1_000, true);
    assert.strictEqual(State.untilScan(after, 250, 1_100), 150);
    assert.strictEqual(State.untilScan(after, 250, 1_250), 0);
  });

  it("a waiting caller gets a scan that begins later, and another until one finds nothing", () => {
    const waiting = State.asked(State.scanning(State.initialState));
    // The running scan may have missed what is due since.
    const missed = State.scanned(waiting, 1_000, true);
    assert.strictEqual(State.untilScan(missed, 250, 1_000), 0);
    const busy = scan(missed, 1_010, false);
    assert.strictEqual(State.untilScan(busy, 250, 1_010), 0);
    const idle = scan(busy, 1_020, true);
    assert.strictEqual(State.untilScan(idle, 250, 1_020), 250);
    assert.strictEqual(idle.lastIdle, 3);
  });
});
