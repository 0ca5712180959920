import { assert, layer } from "@effect/vitest";
import { Cause, Data, Deferred, Effect, Exit, Fiber, Ref } from "effect";
import { TestClock } from "effect/testing";
import { SqlClient, SqlError } from "effect/sql";
import { Database } from "../../src/database/Database.ts";
import { TestDatabase } from "./TestDatabase.ts";

class Refused extends Data.TaggedError("Refused")<{ readonly why: string }> {}

const makeTable = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient;
  yield* sql`CREATE TABLE IF NOT EXISTS account (id int PRIMARY KEY, amount int NOT NULL)`;
  yield* sql`INSERT INTO account VALUES (1, 100), (2, 100) ON CONFLICT (id) DO UPDATE SET amount = 100`;
  return sql;
});

const amountOf = (sql: SqlClient.SqlClient, id: number) =>
  Effect.map(sql<{ amount: number }>`SELECT amount FROM account WHERE id = ${id}`, (rows) => rows[0]?.amount);

layer(TestDatabase.layerEmpty)("Database.ready", (it) => {
  it.effect("a database is ready while it accepts writes, unlike a standby (running.health)", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient;
      const { ready } = yield* Database;
      assert.isTrue(yield* ready);
      const standby = Effect.andThen(sql`SET TRANSACTION READ ONLY`, ready);
      assert.isFalse(yield* sql.withTransaction(standby));
    }),
  );
});

layer(TestDatabase.layerEmpty)("Database.atomically", (it) => {
  it.effect("a successful transaction is committed", () =>
    Effect.gen(function* () {
      const sql = yield* makeTable;
      const database = yield* Database;
      yield* database.atomically(sql`UPDATE account SET amount = 1 WHERE id = 1`);
      assert.strictEqual(yield* amountOf(sql, 1), 1);
    }),
  );

  it.effect("a domain error rolls the transaction back and reaches the caller", () =>
    Effect.gen(function* () {
      const sql = yield* makeTable;
      const database = yield* Database;
      const exit = yield* Effect.exit(
        database.atomically(
          Effect.andThen(
            sql`UPDATE account SET amount = 2 WHERE id = 1`,
            Effect.fail(new Refused({ why: "test" })),
          ),
        ),
      );
      assert.deepStrictEqual(exit, Exit.fail(new Refused({ why: "test" })));
      assert.strictEqual(yield* amountOf(sql, 1), 100);
    }),
  );

  it.effect("an SQL error becomes a defect and does not make the database unavailable", () =>
    Effect.gen(function* () {
      const sql = yield* makeTable;
      const database = yield* Database;
      const exit = yield* Effect.exit(database.atomically(sql`SELECT * FROM no_such_table`));
      assert.isTrue(Exit.isFailure(exit));
      if (Exit.isFailure(exit)) {
        assert.isTrue(Cause.hasDies(exit.cause));
        assert.isFalse(Cause.hasFails(exit.cause));
        assert.isFalse(Database.isUnavailable(exit.cause));
      }
    }),
  );

  it.effect("an inner transaction joins the outer one, so its failure undoes both (J2.1)", () =>
    Effect.gen(function* () {
      const sql = yield* makeTable;
      const database = yield* Database;
      const inner = database.atomically(
        Effect.andThen(
          sql`UPDATE account SET amount = 3 WHERE id = 2`,
          Effect.fail(new Refused({ why: "inner" })),
        ),
      );
      const outer = Effect.andThen(sql`UPDATE account SET amount = 3 WHERE id = 1`, inner);
      assert.deepStrictEqual(yield* Effect.flip(database.atomically(outer)), new Refused({ why: "inner" }));
      assert.deepStrictEqual([yield* amountOf(sql, 1), yield* amountOf(sql, 2)], [100, 100]);

      // A failure that is caught inside undoes nothing, because there is no savepoint.
      yield* database.atomically(Effect.ignore(outer));
      assert.deepStrictEqual([yield* amountOf(sql, 1), yield* amountOf(sql, 2)], [3, 3]);
    }),
  );

  it.effect("a deadlocked transaction is retried in real time", () =>
    Effect.gen(function* () {
      const sql = yield* makeTable;
      const database = yield* Database;
      const tries = yield* Ref.make(0);
      const bothHold = yield* Deferred.make<void>();
      const firstHeld = yield* Deferred.make<void>();
      const transfer = (from: number, to: number, meet: Effect.Effect<unknown>) =>
        database.atomically(
          Effect.gen(function* () {
            yield* Ref.update(tries, (count) => count + 1);
            yield* sql`UPDATE account SET amount = amount - 10 WHERE id = ${from}`;
            yield* meet;
            yield* sql`UPDATE account SET amount = amount + 10 WHERE id = ${to}`;
          }),
        );
      const one = transfer(
        1,
        2,
        Effect.andThen(Deferred.succeed(firstHeld, undefined), Deferred.await(bothHold)),
      );
      const other = transfer(
        2,
        1,
        Effect.andThen(Deferred.await(firstHeld), Deferred.succeed(bothHold, undefined)),
      );
      yield* Effect.all([one, other], { concurrency: 2 });
      assert.strictEqual(yield* Ref.get(tries), 3);
      assert.deepStrictEqual([yield* amountOf(sql, 1), yield* amountOf(sql, 2)], [100, 100]);
    }),
  );

  it.effect("a transaction that conflicts four times fails as unavailable, with 503", () =>
    Effect.gen(function* () {
      const database = yield* Database;
      const sql = yield* SqlClient.SqlClient;
      const tries = yield* Ref.make(0);
      const exit = yield* Effect.exit(
        database.atomically(
          Effect.andThen(
            Ref.update(tries, (count) => count + 1),
            sql.unsafe("DO $$ BEGIN RAISE EXCEPTION 'conflict' USING ERRCODE = '40001'; END $$").unprepared,
          ),
        ),
      );
      assert.isTrue(Exit.isFailure(exit) && Cause.hasDies(exit.cause));
      assert.strictEqual(Exit.isFailure(exit) ? Database.unavailability(exit.cause) : null, "busy");
      assert.strictEqual(yield* Ref.get(tries), 4);
    }),
  );

  it.effect("an interrupted transaction is rolled back (J2.1)", () =>
    Effect.gen(function* () {
      const sql = yield* makeTable;
      const database = yield* Database;
      const written = yield* Deferred.make<void>();
      const fiber = yield* Effect.forkChild(
        database.atomically(
          Effect.gen(function* () {
            yield* sql`UPDATE account SET amount = 5 WHERE id = 1`;
            yield* Deferred.succeed(written, undefined);
            yield* Effect.never;
          }),
        ),
      );
      yield* Deferred.await(written);
      yield* Fiber.interrupt(fiber);
      assert.strictEqual(yield* amountOf(sql, 1), 100);
    }),
  );
});

layer(TestDatabase.layerEmpty)("TestDatabase", (it) => {
  it.effect("a test database does not see the rows of another test file", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient;
      const rows = yield* sql`SELECT 1 FROM pg_tables WHERE tablename = 'account'`;
      assert.lengthOf(rows, 0);
    }),
  );

  it.effect("a test database keeps working while the test clock moves by a year", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient;
      const many = Effect.forEach(Array.from({ length: 100 }), () => sql`SELECT pg_backend_pid()`, {
        concurrency: "unbounded",
      });
      const running = yield* Effect.forkChild(many);
      yield* TestClock.adjust("365 days");
      assert.lengthOf(yield* Fiber.join(running), 100);
      assert.lengthOf(yield* many, 100);
    }),
  );
});

layer(TestDatabase.layerEmpty)("Database.isUnavailable", (it) => {
  it.effect(
    "an unreachable or stopping server is unavailable, a wrong statement and a bug are not (B3.3)",
    () =>
      Effect.sync(() => {
        const failed = (code: string) =>
          new SqlError.SqlError({
            reason: new SqlError.UnknownError({
              cause: Object.assign(new Error("x"), { code }),
              operation: "query",
            }),
          });
        const refused = new SqlError.SqlError({
          reason: new SqlError.ConnectionError({ cause: new Error("refused") }),
        });
        assert.isTrue(Database.isUnavailable(Cause.die(refused)));
        assert.isTrue(Database.isUnavailable(Cause.fail(refused)));
        for (const code of ["57P01", "57P03", "53300"])
          assert.isTrue(Database.isUnavailable(Cause.die(failed(code))));
        for (const code of ["22012", "54000"])
          assert.isFalse(Database.isUnavailable(Cause.die(failed(code))));
        assert.isFalse(Database.isUnavailable(Cause.die(new Error("bug"))));
      }),
  );
});

layer(TestDatabase.layer)("TestDatabase with the schema", (it) => {
  it.effect("a test database has the schema of the program", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient;
      const rows = yield* sql`SELECT id FROM schema_migration ORDER BY id`;
      assert.isAbove(rows.length, 0);
    }),
  );
});
