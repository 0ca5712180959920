import { assert, describe, it } from "@effect/vitest";
import { Deferred, Effect, Fiber } from "effect";
import { batched, TakesLong } from "../../src/database/Batched.ts";
import { ReadPause } from "../../src/database/LongReads.ts";
import { noteRequest } from "../../src/database/RecentWorkspaces.ts";

/** Lets every fiber run until it waits. */
const settled = Effect.forEach(Array.from({ length: 10 }), () => Effect.yieldNow, { discard: true });

/** Records the keys of each batch, which ends once its first key is released. */
const recordedKeys = Effect.fnUntraced(function* (beside: number) {
  const batches: Array<ReadonlyArray<string>> = [];
  const released = new Map<string, Deferred.Deferred<void>>();
  for (const key of ["first", "flood", "quiet"]) released.set(key, yield* Deferred.make<void>());
  const ask = yield* batched({
    maxBatch: 3,
    beside,
    keyOf: (key: string) => key,
    run: (keys) => {
      batches.push(keys);
      const wait = released.get(keys[0] ?? "");
      return Effect.as(wait === undefined ? Effect.void : Deferred.await(wait), keys);
    },
  });
  const release = (key: string) =>
    Effect.suspend(() => {
      const wait = released.get(key);
      return wait === undefined ? Effect.void : Deferred.succeed(wait, undefined);
    });
  return { ask, batches, release };
});

/** A hundred calls of a key that wait for their first batch, and one of another key behind them. */
const flooded = Effect.gen(function* () {
  const batches: Array<ReadonlyArray<string>> = [];
  const released = yield* Deferred.make<void>();
  const ask = yield* batched({
    maxBatch: 3,
    keyOf: (key: string) => key,
    run: (keys) => {
      batches.push(keys);
      return Effect.as(Deferred.await(released), keys);
    },
  });
  const first = yield* Effect.forkChild(ask("flood"));
  yield* settled;
  const others = Effect.replicateEffect(ask("flood"), 99, { concurrency: "unbounded", discard: true });
  const flood = yield* Effect.forkChild(Effect.andThen(others, Fiber.join(first)));
  yield* settled;
  const quiet = yield* Effect.forkChild(ask("quiet"));
  return { batches, flood, quiet, release: Deferred.succeed(released, undefined) };
});

describe("batches of several keys", () => {
  it.effect(
    "the next batch has the call of a quiet key beside the flood of another one (running.neighbours)",
    () =>
      Effect.gen(function* () {
        const { batches, flood, quiet, release } = yield* flooded;
        yield* settled;
        assert.deepStrictEqual(batches, [["flood"]]);
        yield* release;
        yield* Fiber.join(quiet);
        assert.deepStrictEqual(batches[1], ["flood", "quiet", "flood"]);
        yield* Fiber.join(flood);
        assert.strictEqual(batches.flat().length, 101);
      }).pipe(Effect.scoped),
  );

  it.effect(
    "a call of another key waits for no large batch, one of a key in it does (running.neighbours)",
    () =>
      Effect.gen(function* () {
        const { ask, batches, release } = yield* recordedKeys(Infinity);
        const first = yield* Effect.forkChild(ask("first"));
        yield* settled;
        const calls = [first];
        for (const key of ["flood", "flood", "flood", "flood"]) calls.push(yield* Effect.forkChild(ask(key)));
        yield* settled;
        // The first batch is small, so the others wait for it.
        assert.deepStrictEqual(batches, [["first"]]);
        yield* release("first");
        yield* settled;
        for (const key of ["flood", "quiet", "quiet"]) calls.push(yield* Effect.forkChild(ask(key)));
        yield* settled;
        assert.deepStrictEqual(batches, [["first"], ["flood", "flood", "flood"], ["quiet", "quiet"]]);
        yield* release("quiet");
        yield* release("flood");
        yield* Effect.forEach(calls, Fiber.join);
        assert.deepStrictEqual(batches.slice(3), [["flood", "flood"]]);
      }).pipe(Effect.scoped),
  );

  it.effect("a flood that fills both batches keeps no other key waiting (running.neighbours)", () =>
    Effect.gen(function* () {
      const { ask, batches, release } = yield* recordedKeys(3);
      const calls = [];
      for (const key of ["first", "flood", "flood", "flood", "flood", "flood", "flood", "flood"])
        calls.push(yield* Effect.forkChild(ask(key)));
      yield* settled;
      yield* release("first");
      for (let count = 0; count < 6; count++) calls.push(yield* Effect.forkChild(ask("flood")));
      yield* settled;
      const full = batches.length;
      assert.isTrue(batches.every((batch) => batch[0] !== "quiet"));
      calls.push(yield* Effect.forkChild(ask("quiet")));
      yield* settled;
      assert.deepStrictEqual(batches.slice(full), [["quiet"]]);
      yield* release("quiet");
      yield* release("flood");
      yield* Effect.forEach(calls, Fiber.join);
    }).pipe(Effect.scoped),
  );

  it.effect(
    "beside neighbours, batches of a slow workspace pause as long as they take (running.neighbours)",
    () =>
      Effect.gen(function* () {
        const batches: Array<ReadonlyArray<number>> = [];
        const pauses: Array<() => void> = [];
        const ask = yield* Effect.provideService(
          batched({
            maxBatch: 3,
            keyOf: (workspaceId: number) => workspaceId,
            run: (ids, isAlone) =>
              !isAlone && ids.includes(1)
                ? Effect.die(new TakesLong(1))
                : Effect.sync(() => (batches.push(ids), ids)),
          }),
          ReadPause,
          (_, resume) => void pauses.push(resume),
        );
        noteRequest(2);
        noteRequest(1);
        const calls = yield* Effect.forkChild(
          Effect.replicateEffect(ask(1), 6, { concurrency: "unbounded", discard: true }),
        );
        yield* settled;
        assert.deepStrictEqual([batches, pauses.length], [[[1]], 1]);
        assert.strictEqual(yield* ask(2), 2);
        assert.deepStrictEqual(batches.slice(1), [[2]]);
        for (const batch of [
          [1, 1, 1],
          [1, 1],
        ]) {
          pauses.shift()?.();
          yield* settled;
          assert.deepStrictEqual([batches.at(-1), pauses.length], [batch, 1]);
        }
        yield* Fiber.join(calls);
      }).pipe(Effect.scoped),
  );
});
