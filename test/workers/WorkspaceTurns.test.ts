import { assert, describe, it } from "@effect/vitest";
import { Deferred, Effect, Exit, Fiber } from "effect";
import { SqlClient } from "effect/sql";
import { TestClock } from "effect/testing";
import { assumeDistributed } from "../../src/database/citus/IsDistributed.ts";
import { eachApart, workspaceTurns } from "../../src/workers/WorkspaceTurns.ts";

const client = {} as SqlClient.SqlClient;
// Each workspace then has a page of its own.
assumeDistributed(client);

/** A job with due rows by workspace, and the pages that were tried: workspaces in order. */
const job = (rows: Map<number, number>, page: (id: number) => Effect.Effect<void> = () => Effect.void) => {
  const tried: Array<number> = [];
  const run = workspaceTurns({
    what: "rows",
    pageSize: Effect.succeed(10),
    find: () => Effect.sync(() => [...rows].flatMap(([id, due]) => (due > 0 ? [id] : []))),
    take: Effect.fnUntraced(function* ([id = 0], limit) {
      tried.push(id);
      yield* page(id);
      const taken = Math.min(limit, rows.get(id) ?? 0);
      rows.set(id, (rows.get(id) ?? 0) - taken);
      return [taken];
    }),
  }).pipe(Effect.provideService(SqlClient.SqlClient, client));
  return { tried, run };
};

describe("workspaceTurns", () => {
  it.effect("a workspace with few rows waits for one page of another one (running.turns)", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const { run, tried } = job(
          new Map([
            [1, 35],
            [2, 5],
          ]),
        );
        yield* yield* run;
        assert.deepStrictEqual(tried, [1, 2, 1, 1, 1]);
      }),
    ),
  );

  it.effect(
    "a workspace whose page fails rests, twice as long each time, and no other does (running.turns)",
    () =>
      Effect.scoped(
        Effect.gen(function* () {
          const rows = new Map([
            [1, 1],
            [2, 0],
          ]);
          const { run, tried } = job(rows, (id) => (id === 1 ? Effect.die("refused") : Effect.void));
          const due = yield* run;
          const seconds: Array<number> = [];
          for (let second = 0; second <= 200; second++) {
            const before = tried.length;
            rows.set(2, 1);
            yield* due;
            if (tried.slice(before).includes(1)) seconds.push(second);
            assert.strictEqual(rows.get(2), 0);
            yield* TestClock.adjust("1 second");
          }
          assert.deepStrictEqual(seconds, [0, 1, 3, 7, 15, 31, 63, 123, 183]);
        }),
      ),
  );

  it.effect("a run does not wait for a slow page, which ends by itself (running.turns)", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const rows = new Map([
          [1, 1],
          [2, 1],
        ]);
        const slow = yield* Deferred.make<void>();
        const { run, tried } = job(rows, (id) => (id === 1 ? Deferred.await(slow) : Effect.void));
        const due = yield* run;
        const first = yield* Effect.forkChild(due);
        yield* TestClock.adjust("2 seconds");
        yield* Fiber.join(first);
        rows.set(2, 1);
        const second = yield* Effect.forkChild(due);
        yield* TestClock.adjust("2 seconds");
        yield* Fiber.join(second);
        assert.deepStrictEqual(
          [...rows],
          [
            [1, 1],
            [2, 0],
          ],
        );
        assert.deepStrictEqual(tried, [1, 2, 2]);
        yield* Deferred.succeed(slow, undefined);
        yield* TestClock.adjust(0);
        assert.strictEqual(rows.get(1), 0);
      }),
    ),
  );
});

describe("eachApart", () => {
  it.effect("each item runs whatever others do, and the first failure remains", () =>
    Effect.gen(function* () {
      const done: Array<number> = [];
      const run = (id: number) =>
        id % 2 === 0 ? Effect.fail(`failed ${id}`) : Effect.sync(() => done.push(id));
      const exit = yield* Effect.exit(eachApart([1, 2, 3, 4, 5], run));
      assert.deepStrictEqual(done, [1, 3, 5]);
      assert.deepStrictEqual(exit, Exit.fail("failed 2"));
    }),
  );
});
