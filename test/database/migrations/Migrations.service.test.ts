import { assert, describe, it } from "@effect/vitest";
import { Deferred, Effect, Exit, Fiber, Layer, Logger } from "effect";
import { SqlClient } from "effect/sql";
import { TestClock } from "effect/testing";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { migrate, type MigrationFile, MigrationFiles } from "../../../src/database/migrations/Migrations.ts";
import { makeSchemaCheck } from "../../../src/database/migrations/SchemaWatch.ts";
import { captured, logged } from "../../CapturedLog.ts";
import { TestDatabase } from "../TestDatabase.ts";

const first: MigrationFile = {
  name: "0001_one.sql",
  text: "CREATE TABLE one (id int); INSERT INTO one VALUES (1);",
};
const second: MigrationFile = {
  name: "0002_two.sql",
  text: "CREATE TABLE two (id int);\nINSERT INTO two VALUES (2);",
};

const apply = (...files: ReadonlyArray<MigrationFile>) =>
  Effect.provide(migrate, MigrationFiles.layerFiles(files));

const refusal = (...files: ReadonlyArray<MigrationFile>) =>
  Effect.map(Effect.flip(apply(...files)), (error) => error.message);

const applied = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient;
  const rows = yield* sql<{ name: string }>`SELECT name FROM schema_migration ORDER BY id`;
  return rows.map((row) => row.name);
});

const onEmpty = <A, E>(name: string, test: () => Effect.Effect<A, E, SqlClient.SqlClient>) =>
  it.effect(name, () => Effect.provide(test(), Layer.fresh(TestDatabase.layerEmpty)));

describe("migrate", () => {
  onEmpty("each migration is applied once, in order", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient;
      yield* apply(first);
      yield* apply(second, first);
      yield* apply(first, second);
      assert.deepStrictEqual(yield* applied, [first.name, second.name]);
      assert.lengthOf(yield* sql`SELECT 1 FROM one CROSS JOIN two`, 1);
    }),
  );

  onEmpty("all migrations of a start are one line of the log (running.lines)", () =>
    Effect.gen(function* () {
      logged.length = 0;
      yield* apply(first, second);
      yield* apply(first, second);
      const messages = logged.map((line) => (JSON.parse(line) as { readonly message: unknown }).message);
      assert.deepStrictEqual(messages, ["Applied 2 migrations: 0001_one.sql to 0002_two.sql"]);
    }).pipe(Effect.provide(captured)),
  );

  onEmpty("concurrent starts apply each migration once and all find the whole schema", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient;
      const start = Effect.andThen(apply(first, second), sql`SELECT 1 FROM one CROSS JOIN two`);
      const seen = yield* Effect.all(
        Array.from({ length: 5 }, () => start),
        { concurrency: "unbounded" },
      );
      assert.deepStrictEqual(
        seen.map((rows) => rows.length),
        [1, 1, 1, 1, 1],
      );
    }),
  );

  onEmpty("a failed migration is rolled back alone and reported with its statement", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient;
      const broken = {
        name: "0002_two.sql",
        text: "CREATE TABLE half (id int); INSERT INTO nowhere VALUES (1);",
      };
      const message = yield* refusal(first, broken);
      assert.include(message, "0002_two.sql");
      assert.include(message, "INSERT INTO nowhere");
      assert.include(message, 'relation "nowhere" does not exist');
      assert.deepStrictEqual(yield* applied, [first.name]);
      assert.lengthOf(yield* sql`SELECT 1 FROM pg_tables WHERE tablename = 'half'`, 0);
      yield* apply(first, second);
    }),
  );

  onEmpty("an applied file that was changed is refused, unless only its line ends differ", () =>
    Effect.gen(function* () {
      yield* apply(first, second);
      yield* apply(first, { ...second, text: second.text.replaceAll("\n", "\r\n") });
      assert.include(
        yield* refusal({ ...first, text: `${first.text} ` }, second),
        "0001_one.sql was changed",
      );
    }),
  );

  onEmpty("a database that is newer than the program, or of another program, is refused", () =>
    Effect.gen(function* () {
      yield* apply(first, second);
      assert.include(yield* refusal(first), "newer than this program: it has migration 0002_two.sql");
      assert.include(
        yield* refusal(first, { ...second, name: "0002_other.sql" }),
        "where this program has 0002_other.sql",
      );
    }),
  );

  onEmpty("a gap, a duplicate or a name without a number is refused before any change", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient;
      const text = "SELECT 1";
      assert.include(yield* refusal(first, { name: "0003_gap.sql", text }), "0002_name.sql");
      assert.include(yield* refusal(first, { name: "0001_twice.sql", text }), "0002_name.sql");
      assert.include(yield* refusal({ name: "first.sql", text }), "0001_name.sql");
      assert.lengthOf(yield* sql`SELECT 1 FROM pg_tables WHERE tablename = 'schema_migration'`, 0);
    }),
  );

  onEmpty("a migration whose tables are in use rolls back and retries (running.upgrade)", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient;
      yield* apply(first);
      const release = yield* Deferred.make<void>();
      const isHeld = yield* Deferred.make<void>();
      const reader = yield* Effect.forkChild(
        sql.withTransaction(
          Effect.gen(function* () {
            yield* sql`SELECT FROM one`;
            yield* Deferred.succeed(isHeld, undefined);
            yield* Deferred.await(release);
          }),
        ),
      );
      yield* Deferred.await(isHeld);
      const paused = yield* Deferred.make<void>();
      const logger = Logger.make(() => Deferred.doneUnsafe(paused, Exit.void));
      const change = { name: "0002_more.sql", text: "ALTER TABLE one ADD COLUMN more int" };
      const migrating = yield* Effect.forkChild(Effect.provide(apply(first, change), Logger.layer([logger])));
      yield* Deferred.await(paused);
      // Other statements run during the pause.
      yield* sql`INSERT INTO one VALUES (2)`;
      yield* Deferred.succeed(release, undefined);
      yield* Fiber.join(reader);
      yield* TestClock.adjust("1 second");
      yield* Fiber.join(migrating);
      assert.lengthOf(yield* sql`SELECT more FROM one`, 2);
      assert.deepStrictEqual(yield* applied, [first.name, change.name]);
    }),
  );

  onEmpty("a process logs once that a newer version has migrated the schema (running.upgrade)", () =>
    Effect.gen(function* () {
      const logged: Array<string> = [];
      const logger = Logger.make(({ message }) => void logged.push(String(message)));
      yield* apply(first);
      const check = yield* Effect.provide(makeSchemaCheck, MigrationFiles.layerFiles([first]));
      const checkTwice = Effect.provide(Effect.andThen(check, check), Logger.layer([logger]));
      yield* checkTwice;
      assert.deepStrictEqual(logged, []);
      yield* apply(first, second);
      yield* checkTwice;
      assert.lengthOf(logged, 1);
      assert.match(logged[0] ?? "", /migrated the database to 0002_two\.sql\..* but could not start again/);
    }),
  );

  onEmpty("the .sql files of a folder are read from a path or a URL", () =>
    Effect.gen(function* () {
      const folder = yield* Effect.promise(() => mkdtemp(join(tmpdir(), "waypost schema %-")));
      yield* Effect.promise(async () => {
        await writeFile(join(folder, first.name), first.text);
        await writeFile(join(folder, "README.md"), "no migration");
      });
      yield* Effect.provide(migrate, MigrationFiles.layerFolder(folder));
      yield* Effect.provide(migrate, MigrationFiles.layerFolder(pathToFileURL(folder)));
      assert.deepStrictEqual(yield* applied, [first.name]);
      yield* Effect.promise(() => rm(folder, { recursive: true }));
    }),
  );
});
