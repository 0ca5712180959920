import { afterEach, assert, beforeEach, describe, it, vi } from "@effect/vitest";
import { Deferred, Effect, Exit, Fiber } from "effect";
import { SqlError } from "effect/sql";
import { TestClock } from "effect/testing";
import { batched, batchedByKey, TakesLong } from "../../src/database/Batched.ts";
import { CurrentDatabaseTime, DatabaseTime } from "../../src/database/pool/DatabaseTime.ts";

/** Records each batch and, once released, answers ten times each item. */
const recorded = (pause = 0, beside = Infinity) =>
  Effect.gen(function* () {
    const batches: Array<ReadonlyArray<number>> = [];
    const released = yield* Deferred.make<void>();
    const ask = yield* batched({
      maxBatch: 3,
      keyOf: () => "one",
      run: (items: ReadonlyArray<number>) => {
        batches.push(items);
        if (items.includes(0)) return Effect.fail("none of this batch");
        return Effect.as(
          Deferred.await(released),
          items.map((item) => item * 10),
        );
      },
      pause,
      beside,
    });
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

  it.effect("one more batch runs beside another once enough calls wait", () =>
    Effect.gen(function* () {
      const { ask, batches, release } = yield* recorded(0, 2);
      const calls = [];
      for (const item of [1, 2, 3, 4, 5, 6]) {
        calls.push(yield* Effect.forkChild(ask(item)));
        yield* settled;
      }
      assert.deepStrictEqual(batches, [[1], [2, 3]]);
      yield* release;
      assert.deepStrictEqual(yield* Effect.forEach(calls, Fiber.join), [10, 20, 30, 40, 50, 60]);
      assert.deepStrictEqual(batches, [[1], [2, 3], [4, 5, 6]]);
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

/** An item of a tenant; `does` is how its batch goes. */
interface Part {
  readonly tenant: string;
  readonly does?: "fail" | "hang" | "lose the server";
}

const lost = new SqlError.SqlError({
  reason: new SqlError.ConnectionError({ cause: new Error("x"), message: "x", operation: "query" }),
});

/** Records the tenants of each batch, those alone as `tenant!`. A batch answers with that. */
const recordedByTenant = Effect.gen(function* () {
  const batches: Array<string> = [];
  const released = yield* Deferred.make<void>();
  const slow = new Set<string>();
  const ask = yield* batched({
    maxBatch: 10,
    keyOf: ({ tenant }: Part) => tenant,
    run: Effect.fnUntraced(function* (parts, isAlone) {
      const name = parts.map(({ tenant }) => tenant).join("+") + (isAlone ? "!" : "");
      batches.push(name);
      const does = (what: Part["does"]) => parts.some((part) => part.does === what);
      if (does("lose the server")) return yield* Effect.die(lost);
      if (does("fail")) return yield* Effect.fail("a statement failed");
      if (does("hang")) yield* Deferred.await(released);
      const tooSlow = parts.find(({ tenant }) => slow.has(tenant));
      if (tooSlow !== undefined && !isAlone) return yield* Effect.die(new TakesLong(tooSlow.tenant));
      return parts.map(() => name);
    }),
  });
  const askAll = (...parts: ReadonlyArray<Part>) =>
    Effect.forEach(parts, (part) => Effect.exit(ask(part)), { concurrency: "unbounded" });
  return { ask, askAll, batches, slow, release: Deferred.succeed(released, undefined) };
});

describe("batched by tenant", () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it.effect(
    "a failed batch runs again by tenant, so only the tenant at fault fails, alone for a minute",
    () =>
      Effect.gen(function* () {
        const { ask, askAll, batches } = yield* recordedByTenant;
        const [a, bad, b, again] = yield* askAll(
          { tenant: "a" },
          { tenant: "bad", does: "fail" },
          { tenant: "b" },
          { tenant: "a" },
        );
        assert.deepStrictEqual([a, b, again], [Exit.succeed("a!"), Exit.succeed("b!"), Exit.succeed("a!")]);
        assert.deepStrictEqual(bad, Exit.fail("a statement failed"));
        assert.deepStrictEqual(batches.splice(0), ["a+bad+b+a", "a!", "bad!", "b!", "a!"]);
        yield* askAll({ tenant: "a" }, { tenant: "bad" }, { tenant: "b" });
        assert.deepStrictEqual(batches.splice(0).toSorted(), ["a+b", "bad!"]);
        yield* TestClock.adjust("1 minute");
        assert.strictEqual(yield* ask({ tenant: "bad" }), "bad");
      }).pipe(Effect.scoped),
  );

  it.effect("a batch of one tenant that fails does not run again, nor one that lost the server", () =>
    Effect.gen(function* () {
      const { askAll, batches } = yield* recordedByTenant;
      const [one] = yield* askAll({ tenant: "bad", does: "fail" });
      assert.deepStrictEqual(one, Exit.fail("a statement failed"));
      const exits = yield* askAll({ tenant: "a", does: "lose the server" }, { tenant: "b" });
      assert.deepStrictEqual(exits, [Exit.die(lost), Exit.die(lost)]);
      assert.deepStrictEqual(batches, ["bad", "a+b"]);
    }).pipe(Effect.scoped),
  );

  it.effect(
    "a tenant that takes long in a batch runs alone for a minute, and the others go on together",
    () =>
      Effect.gen(function* () {
        const { ask, askAll, batches, slow } = yield* recordedByTenant;
        slow.add("slow");
        const [a, late] = yield* askAll({ tenant: "a" }, { tenant: "slow" });
        assert.deepStrictEqual([a, late], [Exit.succeed("a!"), Exit.succeed("slow!")]);
        yield* askAll({ tenant: "a" }, { tenant: "slow" }, { tenant: "b" });
        assert.deepStrictEqual(batches.toSorted(), ["a!", "a+b", "a+slow", "slow!", "slow!"]);
        yield* TestClock.adjust("1 minute");
        assert.strictEqual(yield* ask({ tenant: "slow" }), "slow!");
      }).pipe(Effect.scoped),
  );

  it.effect("after a second the next batch does not wait for a slow one, whose tenants run alone", () =>
    Effect.gen(function* () {
      const { ask, askAll, batches, release } = yield* recordedByTenant;
      const hanging = yield* Effect.forkChild(askAll({ tenant: "a" }, { tenant: "slow", does: "hang" }));
      yield* settled;
      const waiting = yield* Effect.forkChild(ask({ tenant: "b" }));
      yield* settled;
      assert.deepStrictEqual(batches, ["a+slow"]);
      vi.advanceTimersByTime(1_000);
      assert.strictEqual(yield* Fiber.join(waiting), "b");
      // A batch of its own that is fast ends the suspicion; one that hangs does not.
      assert.strictEqual(yield* ask({ tenant: "a" }), "a!");
      assert.strictEqual(yield* ask({ tenant: "a" }), "a");
      const alone = yield* Effect.forkChild(ask({ tenant: "slow", does: "hang" }));
      yield* settled;
      yield* TestClock.adjust("1 second");
      yield* release;
      assert.strictEqual(yield* Fiber.join(alone), "slow!");
      yield* Fiber.join(hanging);
      assert.strictEqual(yield* ask({ tenant: "slow" }), "slow!");
    }).pipe(Effect.scoped),
  );

  it.effect("at most four batches of several tenants run at the same time", () =>
    Effect.gen(function* () {
      const { ask, batches, release } = yield* recordedByTenant;
      for (const tenant of ["a", "b", "c", "d", "e", "f"]) {
        yield* Effect.forkChild(ask({ tenant, does: "hang" }));
        yield* settled;
        vi.advanceTimersByTime(1_000);
        yield* settled;
      }
      assert.deepStrictEqual(batches, ["a", "b", "c", "d"]);
      yield* release;
      yield* settled;
      assert.deepStrictEqual(batches, ["a", "b", "c", "d", "e+f"]);
    }).pipe(Effect.scoped),
  );
});

/** As `recorded`, by the sign of the items; each sign is released by itself. */
const recordedBySign = Effect.gen(function* () {
  const batches: Array<ReadonlyArray<number>> = [];
  const released = { minus: yield* Deferred.make<void>(), plus: yield* Deferred.make<void>() };
  const signOf = (item: number) => (item < 0 ? "minus" : "plus");
  const ask = yield* batchedByKey({
    maxBatch: 3,
    keyOf: signOf,
    run: (items: ReadonlyArray<number>) => {
      batches.push(items);
      if (items.includes(0)) return Effect.fail("none of this batch");
      return Effect.as(
        Deferred.await(released[signOf(items[0] ?? 0)]),
        items.map((item) => item * 10),
      );
    },
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
