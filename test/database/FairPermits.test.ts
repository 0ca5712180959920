import { assert, describe, it } from "@effect/vitest";
import { Effect, Fiber } from "effect";
import { FairPermits } from "../../src/database/FairPermits.ts";

/** Takes permits in the background, and notes the tenants in the order in which they get one. */
const takingFrom = (permits: FairPermits) => {
  const granted: Array<number> = [];
  const take = (tenant: number) =>
    Effect.forkChild(
      Effect.map(permits.take(tenant), () => void granted.push(tenant)),
      { startImmediately: true },
    );
  return { granted, take };
};

describe("FairPermits", () => {
  it.effect("tenants that wait get permits one after another, each its own requests in order", () =>
    Effect.gen(function* () {
      const permits = new FairPermits(1, 1);
      const { granted, take } = takingFrom(permits);
      for (const tenant of [1, 1, 1, 2, 2, 3]) yield* take(tenant);
      assert.deepStrictEqual(granted, [1]);
      for (let turn = 0; turn < 5; turn++) {
        permits.release(granted.at(-1) ?? 0);
        yield* Effect.yieldNow;
      }
      assert.deepStrictEqual(granted, [1, 1, 2, 3, 1, 2]);
    }),
  );

  it.effect("a tenant has at most its share, and another one gets what is left", () =>
    Effect.gen(function* () {
      const permits = new FairPermits(3, 2);
      const { granted, take } = takingFrom(permits);
      for (const tenant of [1, 1, 1, 1, 2, 3]) yield* take(tenant);
      assert.deepStrictEqual(granted, [1, 1, 2]);
      permits.release(1);
      yield* Effect.yieldNow;
      assert.deepStrictEqual(granted, [1, 1, 2, 1]);
      permits.release(2);
      yield* Effect.yieldNow;
      assert.deepStrictEqual(granted, [1, 1, 2, 1, 3]);
    }),
  );

  it.effect("a wait that is interrupted takes no permit", () =>
    Effect.gen(function* () {
      const permits = new FairPermits(1, 1);
      const { granted, take } = takingFrom(permits);
      yield* take(1);
      const waiting = yield* take(2);
      yield* take(3);
      yield* Fiber.interrupt(waiting);
      permits.release(1);
      yield* Effect.yieldNow;
      assert.deepStrictEqual(granted, [1, 3]);
    }),
  );
});
