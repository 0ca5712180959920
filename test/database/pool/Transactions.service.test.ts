import { assert, layer } from "@effect/vitest";
import { Cause, Deferred, Effect, Exit, Fiber } from "effect";
import { SqlClient, SqlError } from "effect/sql";
import { pipelined } from "../../../src/database/pool/TransactionConnection.ts";
import { arrayOf } from "../../../src/database/Rows.ts";
import { TestDatabase } from "../TestDatabase.ts";

const table = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient;
  yield* sql`CREATE TABLE IF NOT EXISTS note (id int PRIMARY KEY)`;
  yield* sql`TRUNCATE note`;
  return sql;
});

const ids = (sql: SqlClient.SqlClient) =>
  Effect.map(sql<{ id: number }>`SELECT id FROM note ORDER BY id`, (rows) => rows.map(({ id }) => id));

const codeOf = (exit: Exit.Exit<unknown, unknown>): unknown => {
  const error = Exit.isFailure(exit) ? exit.cause.reasons.find(Cause.isFailReason)?.error : null;
  return SqlError.isSqlError(error) ? (error.reason.cause as { code?: string }).code : null;
};

layer(TestDatabase.layerWith(1))("Transactions on a pool of one connection", (it) => {
  it.effect("statements that nobody waits for are committed in order", () =>
    Effect.gen(function* () {
      const sql = yield* table;
      yield* sql.withTransaction(
        Effect.gen(function* () {
          yield* pipelined(Effect.asVoid(sql`INSERT INTO note VALUES (1)`));
          yield* pipelined(Effect.asVoid(sql`UPDATE note SET id = id + 1`));
          assert.deepStrictEqual(yield* ids(sql), [2]);
          yield* pipelined(Effect.asVoid(sql`INSERT INTO note VALUES (1)`));
        }),
      );
      assert.deepStrictEqual(yield* ids(sql), [1, 2]);
    }),
  );

  it.effect("a failed statement that nobody waits for fails the commit with its error (J2.1)", () =>
    Effect.gen(function* () {
      const sql = yield* table;
      const exit = yield* Effect.exit(
        sql.withTransaction(
          Effect.gen(function* () {
            yield* sql`INSERT INTO note VALUES (1)`;
            yield* pipelined(Effect.asVoid(sql`INSERT INTO note VALUES (1)`));
            yield* pipelined(Effect.asVoid(sql`INSERT INTO note VALUES (2)`));
          }),
        ),
      );
      assert.strictEqual(codeOf(exit), "23505");
      assert.deepStrictEqual(yield* ids(sql), []);
    }),
  );

  it.effect("a statement that cannot be sent rolls back, although nobody waits for it (J2.1)", () =>
    Effect.gen(function* () {
      const sql = yield* table;
      const insert = (id: number) => sql`INSERT INTO note SELECT unnest(${arrayOf("int4", [id])})`;
      const exit = yield* Effect.exit(
        sql.withTransaction(
          Effect.gen(function* () {
            yield* pipelined(Effect.asVoid(insert(1)));
            yield* pipelined(Effect.asVoid(insert(2 ** 31)));
          }),
        ),
      );
      assert.isTrue(Exit.isFailure(exit));
      assert.deepStrictEqual(yield* ids(sql), []);
    }),
  );

  it.effect("a failed statement that nobody waits for fails the next statement with its error", () =>
    Effect.gen(function* () {
      const sql = yield* table;
      const exit = yield* Effect.exit(
        sql.withTransaction(
          Effect.gen(function* () {
            yield* pipelined(Effect.asVoid(sql`INSERT INTO note VALUES (1 / 0)`));
            return yield* Effect.exit(ids(sql));
          }),
        ),
      );
      assert.strictEqual(codeOf(exit), "22012");
      assert.deepStrictEqual(yield* ids(sql), []);
    }),
  );

  it.effect("statements of concurrent fibers of a transaction run in it", () =>
    Effect.gen(function* () {
      const sql = yield* table;
      const insert = (id: number) => sql`INSERT INTO note VALUES (${id})`;
      const failing = sql.withTransaction(
        Effect.andThen(
          Effect.all([insert(1), insert(2), insert(3)], { concurrency: "unbounded" }),
          Effect.fail("no" as const),
        ),
      );
      assert.strictEqual(yield* Effect.flip(failing), "no");
      assert.deepStrictEqual(yield* ids(sql), []);
      yield* sql.withTransaction(Effect.all([insert(1), insert(2), insert(3)], { concurrency: "unbounded" }));
      assert.deepStrictEqual(yield* ids(sql), [1, 2, 3]);
    }),
  );

  it.effect("a transaction without statements sends nothing and frees its connection", () =>
    Effect.gen(function* () {
      const sql = yield* table;
      assert.strictEqual(yield* sql.withTransaction(Effect.succeed(1)), 1);
      assert.strictEqual(yield* Effect.flip(sql.withTransaction(Effect.fail("no" as const))), "no");
      assert.deepStrictEqual(yield* ids(sql), []);
    }),
  );

  it.effect("interrupting a transaction frees its connection, also in the middle of a statement", () =>
    Effect.gen(function* () {
      const sql = yield* table;
      const started = yield* Deferred.make<void>();
      const fiber = yield* Effect.forkChild(
        sql.withTransaction(
          Effect.gen(function* () {
            yield* sql`INSERT INTO note VALUES (1)`;
            yield* Deferred.succeed(started, undefined);
            yield* sql`SELECT pg_sleep(600)`;
          }),
        ),
      );
      yield* Deferred.await(started);
      yield* Fiber.interrupt(fiber);
      assert.deepStrictEqual(yield* ids(sql), []);
    }),
  );

  it.effect("interrupting those that wait for a connection loses none", () =>
    Effect.gen(function* () {
      const sql = yield* table;
      const holds = yield* Deferred.make<void>();
      const release = yield* Deferred.make<void>();
      const holder = yield* Effect.forkChild(
        sql.withTransaction(
          Effect.andThen(
            sql`INSERT INTO note VALUES (1)`,
            Effect.andThen(Deferred.succeed(holds, undefined), Deferred.await(release)),
          ),
        ),
      );
      yield* Deferred.await(holds);
      const waiting = yield* Effect.forEach([1, 2, 3, 4], (id) =>
        Effect.forkChild(id % 2 === 0 ? sql.withTransaction(ids(sql)) : ids(sql), { startImmediately: true }),
      );
      yield* Fiber.interruptAll(waiting.slice(0, 2));
      yield* Deferred.succeed(release, undefined);
      yield* Fiber.interrupt(waiting[2] as (typeof waiting)[number]);
      yield* Fiber.join(holder);
      assert.deepStrictEqual(yield* Fiber.join(waiting[3] as (typeof waiting)[number]), [1]);
      assert.deepStrictEqual(yield* sql.withTransaction(ids(sql)), [1]);
    }),
  );
});
