import { assert, layer } from "@effect/vitest";
import { Effect, Fiber, Layer } from "effect";
import { SqlClient } from "effect/sql";
import { LongReads } from "../../../src/database/LongReads.ts";
import { onLongConnections } from "../../../src/database/pool/LongConnections.ts";
import { TestDatabase } from "../TestDatabase.ts";

const unbounded = { concurrency: "unbounded" } as const;

/** A statement that runs until `cancelEndless`. */
const endless = Effect.flatMap(SqlClient.SqlClient, (sql) => Effect.orDie(sql`SELECT pg_sleep(600)`));

const running = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient;
  return yield* sql<{ readonly pid: number }>`
    SELECT pid FROM pg_stat_activity
    WHERE datname = current_database() AND state = 'active' AND query = 'SELECT pg_sleep(600)'`;
});

/** Runs an effect that does not end by itself, until another one has. */
const beside = <A, E, R, B, E2, R2>(long: Effect.Effect<A, E, R>, short: Effect.Effect<B, E2, R2>) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient;
    const fiber = yield* Effect.forkChild(Effect.exit(long), { startImmediately: true });
    yield* Effect.repeat(running, {
      until: (rows) => rows.length > 0 || fiber.pollUnsafe() !== undefined,
    });
    const result = yield* short;
    assert.isUndefined(fiber.pollUnsafe());
    for (const { pid } of yield* running) yield* sql`SELECT pg_cancel_backend(${pid}::int)`;
    yield* Fiber.join(fiber);
    return result;
  });

const oneByOne = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient;
  for (let count = 0; count < 20; count++) {
    assert.lengthOf(yield* sql`SELECT 1`, 1);
    assert.lengthOf(yield* sql.withTransaction(sql`SELECT 1`), 1);
  }
});

layer(Layer.provideMerge(LongReads.layer, TestDatabase.layerWith(2)))("Two connections", (it) => {
  it.effect("a long read that runs delays no statement of another workspace (running.neighbours)", () =>
    Effect.gen(function* () {
      const { run } = yield* LongReads;
      yield* beside(run(1, endless), oneByOne);
    }),
  );
});

layer(TestDatabase.layerWith(20))("Several connections", (it) => {
  it.effect("statements take idle connections, not one whose statement runs", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient;
      // Statements that run for longer than a short one open several connections.
      yield* Effect.all(
        Array.from({ length: 40 }, () => sql`SELECT pg_sleep(0.1)`),
        unbounded,
      );
      yield* beside(endless, oneByOne);
    }),
  );

  it.effect("a long read has a limit of its own for its statements, and one core", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient;
      const settings = sql<{ readonly limit: string; readonly workers: string }>`
        SELECT current_setting('statement_timeout') AS limit,
          current_setting('max_parallel_workers_per_gather') AS workers`;
      const [long] = yield* onLongConnections(settings);
      assert.deepStrictEqual(long, { limit: "20s", workers: "0" });
      const [inTransaction] = yield* onLongConnections(sql.withTransaction(settings));
      assert.deepStrictEqual(inTransaction, long);
      const [short] = yield* settings;
      assert.strictEqual(short?.limit, "30s");
    }),
  );
});
