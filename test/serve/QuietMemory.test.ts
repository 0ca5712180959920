import { assert, it } from "@effect/vitest";
import { Effect } from "effect";
import { TestClock } from "effect/testing";
import { keepMemorySmall } from "../../src/serve/QuietMemory.ts";

/** How often memory was collected after each of some minutes, of so many milliseconds of CPU each. */
const collections = (minutes: ReadonlyArray<number>) =>
  Effect.gen(function* () {
    let used = 5_000;
    let collected = 0;
    yield* keepMemorySmall(
      () => used,
      () => void collected++,
    );
    return yield* Effect.forEach(minutes, (millis) =>
      Effect.gen(function* () {
        yield* TestClock.adjust("59 seconds");
        used += millis;
        yield* TestClock.adjust("1 second");
        return collected;
      }),
    );
  });

it.effect("memory is collected after the first quiet minute, and not again while it is quiet", () =>
  Effect.gen(function* () {
    assert.deepStrictEqual(yield* collections([30_000, 2_000, 2_000, 5_000]), [0, 1, 1, 1]);
  }),
);

it.effect("memory is collected once more after each load, but not beside one", () =>
  Effect.gen(function* () {
    assert.deepStrictEqual(yield* collections([0, 50_000, 60_000, 1_000, 1_000]), [1, 1, 1, 2, 2]);
  }),
);

it.effect("a load between quiet and busy changes nothing", () =>
  Effect.gen(function* () {
    assert.deepStrictEqual(yield* collections([9_000, 1_000, 9_000, 1_000]), [0, 1, 1, 1]);
  }),
);

it.effect("an object that nothing holds is gone after the collection", () =>
  Effect.gen(function* () {
    yield* keepMemorySmall(() => 0);
    const held = new WeakRef({ name: "garbage" });
    // A weak reference keeps its object until the task that made it ends.
    yield* Effect.callback<void>((resume) => void setImmediate(() => resume(Effect.void)));
    yield* TestClock.adjust("1 minute");
    assert.isUndefined(held.deref());
  }),
);
