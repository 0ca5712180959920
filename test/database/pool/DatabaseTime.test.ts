import { assert, describe, it } from "@effect/vitest";
import { Effect, Exit, Fiber } from "effect";
import { vi } from "vitest";
import { DatabaseTime } from "../../../src/database/pool/DatabaseTime.ts";
import { RunningStatement } from "../../../src/database/pool/RunningStatement.ts";

const result = { command: "SELECT", rowCount: 0, oid: null, rows: [], fields: [] };
const hour = 3_600_000;

describe("DatabaseTime", () => {
  it.effect("a request whose time for the database is used up fails, and its statement runs on (B3.3)", () =>
    Effect.gen(function* () {
      // The timer fires while the clock that measures the wait stands still: earlier than any real one.
      vi.useFakeTimers({ toFake: ["performance"] });
      yield* Effect.addFinalizer(() => Effect.sync(() => vi.useRealTimers()));
      const statement = new RunningStatement(hour);
      const time = new DatabaseTime(5);
      const error = yield* Effect.flip(statement.await(time));
      assert.strictEqual(error.reason._tag, "ConnectionError");
      assert.strictEqual(time.left, 0);
      assert.isNull(statement.exit);
      assert.strictEqual((yield* Effect.flip(new RunningStatement(hour).await(time)))._tag, "SqlError");
    }),
  );

  it.effect("a statement that ends in time gives its result to all that wait, and to later ones", () =>
    Effect.gen(function* () {
      const statement = new RunningStatement(hour);
      const waiting = yield* Effect.forkChild(
        Effect.all([statement.await(new DatabaseTime()), statement.await(null)], {
          concurrency: "unbounded",
        }),
        { startImmediately: true },
      );
      statement.settle(Exit.succeed(result));
      assert.deepStrictEqual(yield* Fiber.join(waiting), [result, result]);
      assert.deepStrictEqual(yield* statement.await(null), result);
    }),
  );
});
