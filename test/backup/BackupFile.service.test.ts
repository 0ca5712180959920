import { assert, describe, it } from "@effect/vitest";
import { Deferred, Effect, Fiber } from "effect";
import { SqlClient } from "effect/sql";
import { existsSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createBackup } from "../../src/backup/CreateBackup.ts";
import { TestDatabase } from "../database/TestDatabase.ts";
import { eventually } from "../Eventually.ts";
import { temporaryFolder } from "../upgrades/ReleaseFixture.ts";

describe("the file of a backup", () => {
  it.live("a backup during a migration has the columns that its rows have (running.backup)", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient;
      const folder = yield* temporaryFolder;
      const isLocked = yield* Deferred.make<void>();
      const migrating = sql.withTransaction(
        Effect.gen(function* () {
          yield* sql`ALTER TABLE workspace ADD COLUMN added integer`;
          yield* Deferred.succeed(isLocked, undefined);
          const waiting = sql`
            SELECT FROM pg_locks WHERE relation = 'workspace'::regclass AND NOT granted`;
          yield* eventually(Effect.map(waiting, ({ length }) => length > 0));
        }),
      );
      const migration = yield* Effect.forkChild(migrating);
      yield* Deferred.await(isLocked);
      const { tables } = yield* createBackup({
        dataDir: folder,
        path: join(folder, "during.tar.gz"),
        bucket: null,
      });
      yield* Fiber.join(migration);
      assert.include(tables.find(({ name }) => name === "workspace")?.columns ?? [], "added");
    }).pipe(Effect.scoped, Effect.provide(TestDatabase.layer)),
  );

  it.live("a backup is consistent while rows are written (running.backup)", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient;
      const folder = yield* temporaryFolder;
      // The first and the last table that is copied, which have equally many rows at every moment.
      yield* sql`CREATE TABLE a_first (n integer)`;
      yield* sql`CREATE TABLE z_last (n integer)`;
      const write = sql`
        WITH first AS (INSERT INTO a_first VALUES (1)) INSERT INTO z_last VALUES (1)`;
      const count = Effect.map(sql`SELECT FROM z_last`, ({ length }) => length);
      const writer = yield* Effect.forkChild(Effect.forever(write));
      yield* eventually(Effect.map(count, (rows) => rows > 0));
      const path = join(folder, "written.tar.gz");
      const { tables } = yield* createBackup({ dataDir: folder, path, bucket: null });
      yield* Fiber.interrupt(writer);
      const [first, last] = ["a_first", "z_last"].map((table) => tables.find(({ name }) => name === table));
      assert.isAbove(first?.rows ?? 0, 0);
      assert.strictEqual(first?.rows, last?.rows);
      assert.isAbove(yield* count, last?.rows ?? 0);
    }).pipe(Effect.scoped, Effect.provide(TestDatabase.layer)),
  );

  it.live(
    "a file that another backup to the same path writes does not become this one (running.backup)",
    () =>
      Effect.gen(function* () {
        const dataDir = yield* temporaryFolder;
        const path = join(dataDir, "twice.tar.gz");
        let hasBegun = false;
        const begin = () => {
          if (hasBegun) return;
          hasBegun = true;
          rmSync(`${path}.part`);
          writeFileSync(`${path}.part`, "incomplete");
        };
        const { message } = yield* Effect.flip(
          createBackup({ dataDir, path, bucket: null, progress: begin }),
        );
        assert.isTrue(hasBegun);
        assert.include(message, "another backup to the same path");
        assert.deepStrictEqual([existsSync(path), existsSync(`${path}.part`)], [false, true]);
      }).pipe(Effect.scoped, Effect.provide(TestDatabase.layer)),
  );

  it.live("large rows are in small files of the archive, however many there are (running.backup)", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient;
      const folder = yield* temporaryFolder;
      yield* sql`CREATE TABLE large AS
        SELECT n, repeat('x', 500000) AS text FROM generate_series(1, 60) AS n`;
      const { files, tables } = yield* createBackup({
        dataDir: folder,
        path: join(folder, "large.tar.gz"),
        bucket: null,
      });
      const pages = files.filter(({ name }) => name.startsWith("rows/large/"));
      assert.isAtMost(Math.max(...pages.map(({ bytes }) => bytes)), 6_000_000);
      assert.strictEqual(tables.find(({ name }) => name === "large")?.rows, 60);
    }).pipe(Effect.scoped, Effect.provide(TestDatabase.layer)),
  );
});
