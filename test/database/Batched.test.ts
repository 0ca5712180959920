import { assert, describe, it } from "@effect/vitest";
import { Deferred, Effect, Exit, Fiber } from "effect";
import { batched, batchedByKey } from "../../src/database/Batched.ts";
import { CurrentDatabaseTime, DatabaseTime } from "../../src/database/pool/DatabaseTime.ts";

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

/** As `recorded`, by the sign of the items; each sign is released by itself. */
const recordedBySign = Effect.gen(function* () {
  const batches: Array<ReadonlyArray<number>> = [];
  const released = { minus: yield* Deferred.make<void>(), plus: yield* Deferred.make<void>() };
  const signOf = (item: number) => (item < 0 ? "minus" : "plus");
  const ask = yield* batchedByKey(3, signOf, (items: ReadonlyArray<number>) => {
    batches.push(items);
    if (items.includes(0)) return Effect.fail("none of this batch");
    return Effect.as(
      Deferred.await(released[signOf(items[0] ?? 0)]),
      items.map((item) => item * 10),
    );
  });
  const release = (sign: keyof typeof released) => Deferred.succeed(released[sign], undefined);
  return { ask, batches, release };
});

describe("batchedByKey", () => {
  it.effect("calls of one key gather while its batch runs, up to maxBatch, and those of others run", () =>
    Effect.gen(function* () {
      const { ask, batches, release } = yield* recordedBySign;
      const first = yield* Effect.forkChild(ask(1));
      yield* settled;
      const others = yield* Effect.forEach([2, 3, 4, 5], (item) => Effect.forkChild(ask(item)));
      const apart = yield* Effect.forkChild(ask(-1));
      yield* settled;
      assert.deepStrictEqual(batches, [[1], [-1]]);
      yield* release("minus");
      assert.strictEqual(yield* Fiber.join(apart), -10);
      yield* release("plus");
      assert.deepStrictEqual(yield* Effect.forEach([first, ...others], Fiber.join), [10, 20, 30, 40, 50]);
      assert.deepStrictEqual(batches, [[1], [-1], [2, 3, 4], [5]]);
      assert.strictEqual(yield* ask(6), 60);
    }).pipe(Effect.scoped),
  );

  it.effect("a failed batch of a key fails no later one, and a caller's time for the database ends", () =>
    Effect.gen(function* () {
      const { ask, release } = yield* recordedBySign;
      assert.deepStrictEqual(yield* Effect.exit(ask(0)), Exit.fail("none of this batch"));
      const late = yield* Effect.forkChild(
        Effect.exit(Effect.provideService(ask(1), CurrentDatabaseTime, new DatabaseTime(1))),
      );
      assert.isTrue(Exit.hasDies(yield* Fiber.join(late)));
      yield* release("plus");
      assert.strictEqual(yield* ask(2), 20);
    }).pipe(Effect.scoped),
  );
});
