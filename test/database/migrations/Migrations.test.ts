import { assert, describe, it } from "@effect/vitest";
import { Deferred, Effect, Exit, Fiber, Layer, Logger } from "effect";
import { SqlClient } from "effect/sql";
import { TestClock } from "effect/testing";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { migrate, type MigrationFile, MigrationFiles } from "../../../src/database/migrations/Migrations.ts";
import { schemaLook } from "../../../src/database/migrations/SchemaWatch.ts";
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
  onEmpty("applies each file once, in the order of the numbers", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient;
      yield* apply(first);
      yield* apply(second, first);
      yield* apply(first, second);
      assert.deepStrictEqual(yield* applied, [first.name, second.name]);
      assert.lengthOf(yield* sql`SELECT 1 FROM one CROSS JOIN two`, 1);
    }),
  );

  onEmpty("lets many start at once: each file is applied by one of them, and all find the whole schema", () =>
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

  onEmpty(
    "leaves nothing of a file that fails half way, keeps those before it and says which statement it was",
    () =>
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

  onEmpty("refuses an applied file that was changed, but not for its line ends", () =>
    Effect.gen(function* () {
      yield* apply(first, second);
      yield* apply(first, { ...second, text: second.text.replaceAll("\n", "\r\n") });
      assert.include(
        yield* refusal({ ...first, text: `${first.text} ` }, second),
        "0001_one.sql was changed",
      );
    }),
  );

  onEmpty("refuses a database that is newer than the program, or another one's", () =>
    Effect.gen(function* () {
      yield* apply(first, second);
      assert.include(yield* refusal(first), "newer than this program: it has migration 0002_two.sql");
      assert.include(
        yield* refusal(first, { ...second, name: "0002_other.sql" }),
        "where this program has 0002_other.sql",
      );
    }),
  );

  onEmpty("refuses a gap, a double and a name without a number, before it touches the database", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient;
      const text = "SELECT 1";
      assert.include(yield* refusal(first, { name: "0003_gap.sql", text }), "0002_name.sql");
      assert.include(yield* refusal(first, { name: "0001_twice.sql", text }), "0002_name.sql");
      assert.include(yield* refusal({ name: "first.sql", text }), "0001_name.sql");
      assert.lengthOf(yield* sql`SELECT 1 FROM pg_tables WHERE tablename = 'schema_migration'`, 0);
    }),
  );

  onEmpty(
    "stands aside where its tables are in use, so that nobody waits behind it, and comes back (running.upgrade)",
    () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient;
        yield* apply(first);
        const letGo = yield* Deferred.make<void>();
        const isHeld = yield* Deferred.make<void>();
        const reader = yield* Effect.forkChild(
          sql.withTransaction(
            Effect.gen(function* () {
              yield* sql`SELECT FROM one`;
              yield* Deferred.succeed(isHeld, undefined);
              yield* Deferred.await(letGo);
            }),
          ),
        );
        yield* Deferred.await(isHeld);
        const paused = yield* Deferred.make<void>();
        const logger = Logger.make(() => Deferred.doneUnsafe(paused, Exit.void));
        const change = { name: "0002_more.sql", text: "ALTER TABLE one ADD COLUMN more int" };
        const migrating = yield* Effect.forkChild(
          Effect.provide(apply(first, change), Logger.layer([logger])),
        );
        yield* Deferred.await(paused);
        // In the pause others get through.
        yield* sql`INSERT INTO one VALUES (2)`;
        yield* Deferred.succeed(letGo, undefined);
        yield* Fiber.join(reader);
        yield* TestClock.adjust("1 second");
        yield* Fiber.join(migrating);
        assert.lengthOf(yield* sql`SELECT more FROM one`, 2);
        assert.deepStrictEqual(yield* applied, [first.name, change.name]);
      }),
  );

  onEmpty(
    "a process that runs on while a newer one migrates says so, once, and that it cannot start again (running.upgrade)",
    () =>
      Effect.gen(function* () {
        const said: Array<string> = [];
        const logger = Logger.make(({ message }) => void said.push(String(message)));
        yield* apply(first);
        const look = yield* Effect.provide(schemaLook, MigrationFiles.layerFiles([first]));
        const looks = Effect.provide(Effect.andThen(look, look), Logger.layer([logger]));
        yield* looks;
        assert.deepStrictEqual(said, []);
        yield* apply(first, second);
        yield* looks;
        assert.lengthOf(said, 1);
        assert.match(said[0] ?? "", /brought the database to 0002_two\.sql\..* but could not start again/);
      }),
  );

  onEmpty("reads the .sql files of a folder, given as a path or an address", () =>
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
