import { assert, describe, it } from "@effect/vitest";
import { Deferred, Effect, Exit, Fiber } from "effect";
import { batched } from "../../src/database/Batched.ts";

/** Notes each batch, and answers ten times the item when it is let go. */
const noted = (pause?: number) =>
  Effect.gen(function* () {
    const batches: Array<ReadonlyArray<number>> = [];
    const go = yield* Deferred.make<void>();
    const ask = yield* batched(
      3,
      (items: ReadonlyArray<number>) => {
        batches.push(items);
        if (items.includes(0)) return Effect.fail("none of this batch");
        return Effect.as(
          Deferred.await(go),
          items.map((item) => item * 10),
        );
      },
      pause,
    );
    return { ask, batches, go: Deferred.succeed(go, undefined) };
  });

/** Time for whoever waits to come to the point where it waits. */
const settled = Effect.forEach(Array.from({ length: 10 }), () => Effect.yieldNow, { discard: true });

describe("What concurrent callers bring together", () => {
  it.effect(
    "goes batch by batch: the next one gathers while one is on its way, up to the most, each answered in its place",
    () =>
      Effect.gen(function* () {
        const { ask, batches, go } = yield* noted();
        const first = yield* Effect.forkChild(ask(1));
        yield* settled;
        const others = yield* Effect.forEach([2, 3, 4, 5], (item) => Effect.forkChild(ask(item)));
        yield* settled;
        assert.deepStrictEqual(batches, [[1]]);
        yield* go;
        assert.deepStrictEqual(yield* Effect.forEach([first, ...others], Fiber.join), [10, 20, 30, 40, 50]);
        assert.deepStrictEqual(batches, [[1], [2, 3, 4], [5]]);
      }).pipe(Effect.scoped),
  );

  it.effect("fails for all of a batch and for nobody else, and goes on without a caller that is gone", () =>
    Effect.gen(function* () {
      const { ask, batches, go } = yield* noted();
      const [bad, worse] = yield* Effect.all([Effect.exit(ask(0)), Effect.exit(ask(1))], { concurrency: 2 });
      assert.deepStrictEqual(
        [bad, worse],
        [Exit.fail("none of this batch"), Exit.fail("none of this batch")],
      );
      const gone = yield* Effect.forkChild(ask(2));
      yield* settled;
      yield* Fiber.interrupt(gone);
      const stays = yield* Effect.forkChild(ask(3));
      yield* settled;
      assert.deepStrictEqual(batches.splice(1), [[2]]);
      yield* go;
      assert.strictEqual(yield* Fiber.join(stays), 30);
      assert.deepStrictEqual(batches.splice(0), [[0, 1], [3]]);
    }).pipe(Effect.scoped),
  );

  it.effect("gathers for a while after a batch of several, and not after a lone one", () =>
    Effect.gen(function* () {
      const { ask, batches, go } = yield* noted(300);
      yield* go;
      assert.strictEqual(yield* ask(1), 10);
      yield* Effect.all([ask(2), ask(3)], { concurrency: 2 });
      const early = yield* Effect.forkChild(ask(4));
      yield* settled;
      yield* Effect.all([ask(5), Fiber.join(early)], { concurrency: 2 });
      assert.deepStrictEqual(batches, [[1], [2, 3], [4, 5]]);
    }).pipe(Effect.scoped),
  );
});
