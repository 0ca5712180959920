import { assert, describe, it } from "@effect/vitest";
import { Deferred, Effect, Fiber } from "effect";
import { MemoryStore, memoryTable } from "./MemoryStore.ts";

const letters = memoryTable<string>("letter");

const read = Effect.flatMap(MemoryStore, (store) =>
  store.read((tables) => [...tables.rows(letters).values()]),
);
const put = (letter: string) =>
  Effect.flatMap(MemoryStore, (store) => store.write((tables) => tables.put(letters, letter, letter)));
const atomically = <A, E>(effect: Effect.Effect<A, E, MemoryStore>) =>
  Effect.flatMap(MemoryStore, (store) => store.transaction(effect));

describe("MemoryStore", () => {
  it.effect("a transaction reads its own changes, others read them once it is committed", () =>
    Effect.gen(function* () {
      const isWritten = yield* Deferred.make<void>();
      const mayEnd = yield* Deferred.make<void>();
      const writer = yield* Effect.forkChild(
        atomically(
          Effect.gen(function* () {
            yield* put("a");
            assert.deepStrictEqual(yield* read, ["a"]);
            yield* Deferred.succeed(isWritten, undefined);
            yield* Deferred.await(mayEnd);
          }),
        ),
      );
      yield* Deferred.await(isWritten);
      assert.deepStrictEqual(yield* read, []);
      yield* Deferred.succeed(mayEnd, undefined);
      yield* Fiber.join(writer);
      assert.deepStrictEqual(yield* read, ["a"]);
    }).pipe(Effect.provide(MemoryStore.layer)),
  );

  it.effect("a transaction that fails, dies or is interrupted leaves nothing behind", () =>
    Effect.gen(function* () {
      yield* put("kept");
      const ends = [Effect.fail("no"), Effect.die("no"), Effect.interrupt];
      for (const end of ends) yield* Effect.exit(atomically(Effect.andThen(put("gone"), end)));
      assert.deepStrictEqual(yield* read, ["kept"]);
    }).pipe(Effect.provide(MemoryStore.layer)),
  );

  it.effect("a nested transaction belongs to the outer one", () =>
    Effect.gen(function* () {
      const outer = atomically(Effect.andThen(atomically(put("a")), Effect.fail("no")));
      yield* Effect.exit(outer);
      assert.deepStrictEqual(yield* read, []);
    }).pipe(Effect.provide(MemoryStore.layer)),
  );

  it.effect("transactions run one after another", () =>
    Effect.gen(function* () {
      const append = atomically(
        Effect.gen(function* () {
          const count = (yield* read).length;
          yield* Effect.yieldNow;
          yield* put(String(count));
        }),
      );
      yield* Effect.all(
        Array.from({ length: 20 }, () => append),
        { concurrency: "unbounded" },
      );
      assert.lengthOf(yield* read, 20);
    }).pipe(Effect.provide(MemoryStore.layer)),
  );
});
