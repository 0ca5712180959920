import { assert, layer } from "@effect/vitest";
import { Effect, Fiber, Scheduler } from "effect";
import { TestClock } from "effect/testing";
import { LocationIndexes } from "../../src/locations/LocationIndexes.ts";
import { TestWaypost } from "../TestWaypost.ts";

/** After how many operations a fiber yields, and after how many turns it is interrupted. */
const interruptions = [3, 4, 5].flatMap((operations) =>
  Array.from({ length: 40 }, (_, turns) => [operations, turns] as const),
);

layer(TestWaypost.layer)("Location indexes", (it) => {
  it.effect("a request that is interrupted at any time leaves the index to the requests after it", () =>
    Effect.gen(function* () {
      const { current } = yield* LocationIndexes;
      for (const [index, [operations, turns]] of interruptions.entries()) {
        const tenant = { workspaceId: 1_000_000_000 + index, environment: "production" } as const;
        // Under load a fiber yields to the event loop between any two operations.
        const first = yield* Effect.forkChild(
          Effect.provideService(current(tenant, 0), Scheduler.MaxOpsBeforeYield, operations),
        );
        for (let turn = 0; turn < turns; turn++) yield* Effect.yieldNow;
        yield* Fiber.interrupt(first);
        const next = yield* TestClock.withLive(Effect.timeoutOption(current(tenant, 0), "10 seconds"));
        assert.strictEqual(next._tag, "Some", `interrupted after ${turns} turns of ${operations} operations`);
      }
    }),
  );
});
