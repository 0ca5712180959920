import { assert, describe, it } from "@effect/vitest";
import fc from "fast-check";
import {
  failed,
  initialState,
  isFinished,
  polled,
  type PushWorkerState,
  sending,
  settled,
  shouldTake,
  stopped,
  taken,
  takeLimit,
  taking,
} from "../../../src/sending/push/PushWorkerState.ts";

/** A taking that sends so many pushes. */
const take = (
  state: PushWorkerState,
  sent: number,
  { isAll = false, isCrowded = false }: { readonly isAll?: boolean; readonly isCrowded?: boolean } = {},
) => taken(sending(taking(state), sent), { sent, isCrowded, isAll });

describe("PushWorkerState", () => {
  it("a new worker takes a full batch of 512 pushes", () => {
    assert.isTrue(shouldTake(initialState));
    assert.strictEqual(takeLimit(initialState, false), 512);
  });

  it("a worker takes more when a quarter of its pushes has ended, as many as it has room for", () => {
    const full = take(initialState, 512);
    assert.isFalse(shouldTake(full));
    assert.strictEqual(takeLimit(full, false), 0);
    assert.isFalse(shouldTake(settled(full, 127)));
    assert.isTrue(shouldTake(settled(full, 128)));
    assert.strictEqual(takeLimit(settled(full, 128), false), 128);
  });

  it("a worker that took all due pushes takes more only after a poll or a failure", () => {
    const state = settled(take(initialState, 10, { isAll: true }), 5);
    assert.isFalse(shouldTake(state));
    assert.isTrue(shouldTake(polled(state)));
    assert.isTrue(shouldTake(failed(state)));
  });

  it("a poll during a taking asks for another one, even if the taking found nothing else", () => {
    const state = taken(sending(polled(taking(initialState)), 1), { sent: 1, isCrowded: false, isAll: true });
    assert.isTrue(shouldTake(state));
  });

  it("a worker is finished when nothing is in flight and nothing more is due", () => {
    const state = take(initialState, 2, { isAll: true });
    assert.isFalse(isFinished(state));
    assert.isTrue(isFinished(settled(state, 2)));
    assert.isFalse(isFinished(polled(settled(state, 2))));
    assert.isFalse(isFinished(initialState));
  });

  it("a stopped worker takes nothing more and is finished when its pushes are settled", () => {
    const state = stopped(take(initialState, 3));
    assert.isFalse(shouldTake(polled(state)));
    assert.isFalse(isFinished(state));
    assert.isTrue(isFinished(polled(settled(state, 3))));
  });

  it("a worker with suspect credentials has one push in flight", () => {
    assert.strictEqual(takeLimit(initialState, true), 1);
    assert.strictEqual(takeLimit(take(initialState, 1), true), 0);
    assert.strictEqual(takeLimit(take(initialState, 5), true), 0);
  });

  it("crowded push services get smaller batches, once a quarter of the pushes in flight has ended", () => {
    const crowded = take(initialState, 40, { isCrowded: true });
    assert.strictEqual(takeLimit(crowded, false), 50);
    assert.isFalse(shouldTake(settled(crowded, 9)));
    assert.isTrue(shouldTake(settled(crowded, 10)));
    const small = take(crowded, 4, { isCrowded: true });
    assert.strictEqual(takeLimit(small, false), 16);
  });

  it("a batch doubles after each taking without crowded push services, up to 512", () => {
    let state = take(initialState, 16, { isCrowded: true });
    const limits: Array<number> = [];
    for (let count = 0; count < 6; count++) {
      state = settled(take(state, 1), 1);
      limits.push(state.batchSize);
    }
    assert.deepStrictEqual(limits, [40, 80, 160, 320, 512, 512]);
  });

  it("a full batch is taken if all pushes of the last one were postponed", () => {
    const crowded = take(initialState, 20, { isCrowded: true });
    const postponed = take(crowded, 0, { isCrowded: true });
    assert.strictEqual(postponed.batchSize, 512);
    assert.isTrue(shouldTake(postponed));
  });

  it("a poll lets a worker with crowded push services take more early", () => {
    const crowded = take(initialState, 40, { isCrowded: true, isAll: true });
    assert.isFalse(shouldTake(failed(crowded)));
    assert.isTrue(shouldTake(polled(crowded)));
  });

  it("a worker never has more than 512 pushes in flight, and never waits without any", () => {
    const events = fc.array(
      fc.record({
        share: fc.double({ min: 0, max: 1, noNaN: true }),
        isCrowded: fc.boolean(),
        isAll: fc.boolean(),
        isSuspect: fc.boolean(),
        isPolled: fc.boolean(),
      }),
      { maxLength: 60 },
    );
    fc.assert(
      fc.property(events, (all) => {
        let state = initialState;
        for (const { isAll, isCrowded, isPolled, isSuspect, share } of all) {
          if (isPolled) state = polled(state);
          if (shouldTake(state)) {
            const limit = takeLimit(state, isSuspect);
            state = limit === 0 ? taking(state) : take(state, Math.ceil(limit * share), { isAll, isCrowded });
          } else state = settled(state, Math.ceil(state.inFlight * share));
          assert.isAtMost(state.inFlight, 512);
          assert.isAtLeast(state.inFlight, 0);
          assert.isTrue(state.inFlight > 0 || isFinished(state) || shouldTake(state));
        }
      }),
    );
  });
});
