import { assert, describe, it } from "@effect/vitest";
import { Deferred, Effect, Exit, Fiber } from "effect";
import { batched } from "../../src/database/Batched.ts";

/** Records each batch and, once released, answers ten times each item. */
const recorded = (pause?: number) =>
  Effect.gen(function* () {
    const batches: Array<ReadonlyArray<number>> = [];
    const released = yield* Deferred.make<void>();
    const ask = yield* batched(
      3,
      (items: ReadonlyArray<number>) => {
        batches.push(items);
        if (items.includes(0)) return Effect.fail("none of this batch");
        return Effect.as(
          Deferred.await(released),
          items.map((item) => item * 10),
        );
      },
      pause,
    );
    return { ask, batches, release: Deferred.succeed(released, undefined) };
  });

/** Lets every fiber run until it waits. */
const settled = Effect.forEach(Array.from({ length: 10 }), () => Effect.yieldNow, { discard: true });

describe("batched", () => {
  it.effect("calls gather while a batch runs, up to maxBatch, and get their answers in order", () =>
    Effect.gen(function* () {
      const { ask, batches, release } = yield* recorded();
      const first = yield* Effect.forkChild(ask(1));
      yield* settled;
      const others = yield* Effect.forEach([2, 3, 4, 5], (item) => Effect.forkChild(ask(item)));
      yield* settled;
      assert.deepStrictEqual(batches, [[1]]);
      yield* release;
      assert.deepStrictEqual(yield* Effect.forEach([first, ...others], Fiber.join), [10, 20, 30, 40, 50]);
      assert.deepStrictEqual(batches, [[1], [2, 3, 4], [5]]);
    }).pipe(Effect.scoped),
  );

  it.effect("a failure affects one batch only, and an interrupted caller does not stop its batch", () =>
    Effect.gen(function* () {
      const { ask, batches, release } = yield* recorded();
      const [bad, worse] = yield* Effect.all([Effect.exit(ask(0)), Effect.exit(ask(1))], { concurrency: 2 });
      assert.deepStrictEqual(
        [bad, worse],
        [Exit.fail("none of this batch"), Exit.fail("none of this batch")],
      );
      const interrupted = yield* Effect.forkChild(ask(2));
      yield* settled;
      yield* Fiber.interrupt(interrupted);
      const next = yield* Effect.forkChild(ask(3));
      yield* settled;
      assert.deepStrictEqual(batches.splice(1), [[2]]);
      yield* release;
      assert.strictEqual(yield* Fiber.join(next), 30);
      assert.deepStrictEqual(batches.splice(0), [[0, 1], [3]]);
    }).pipe(Effect.scoped),
  );

  it.effect("the pause follows a batch of several calls, but not a single call", () =>
    Effect.gen(function* () {
      const { ask, batches, release } = yield* recorded(300);
      yield* release;
      assert.strictEqual(yield* ask(1), 10);
      yield* Effect.all([ask(2), ask(3)], { concurrency: 2 });
      const early = yield* Effect.forkChild(ask(4));
      yield* settled;
      yield* Effect.all([ask(5), Fiber.join(early)], { concurrency: 2 });
      assert.deepStrictEqual(batches, [[1], [2, 3], [4, 5]]);
    }).pipe(Effect.scoped),
  );
});
