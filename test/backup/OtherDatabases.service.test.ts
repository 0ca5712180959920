import { assert, describe, it } from "@effect/vitest";
import { Effect } from "effect";
import { SqlClient } from "effect/sql";
import { existsSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { inject } from "vitest";
import { backupSql } from "../../src/backup/BackupSql.ts";
import { createBackup } from "../../src/backup/CreateBackup.ts";
import { restoreIntoDatabase } from "../../src/backup/RestoreBackup.ts";
import { distribute } from "../../src/database/citus/Distribution.ts";
import { distributedTables } from "../../src/database/citus/DistributedTables.ts";
import { programMigrations } from "../../src/database/migrations/ProgramMigrations.ts";
import { TestDatabase } from "../database/TestDatabase.ts";
import { filesOf, temporaryFolder } from "../upgrades/ReleaseFixture.ts";

/** A backup with rows in every table. */
const { backup: everything } = filesOf(new URL("../upgrades/fixtures/", import.meta.url).pathname, "0.1.0");

const restore = (path: string, dataDir: string) =>
  Effect.provide(
    restoreIntoDatabase(path, dataDir, () => undefined),
    programMigrations,
  );

/** Every row of every table as text, and the sequences. */
const contents = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient;
  const { sequences, tables } = yield* backupSql;
  const rows: Record<string, ReadonlyArray<string>> = {};
  for (const { name } of yield* tables) {
    const found = yield* sql<{ readonly line: string }>`SELECT t::text AS line FROM ${sql(name)} AS t`;
    rows[name] = found.map(({ line }) => line).toSorted();
  }
  return { rows, sequences: yield* sequences };
});

describe("backups of other databases than the embedded one", () => {
  it.live(
    "a database moves to another server, on Citus with its tables distributed, and back (running.backup)",
    () =>
      Effect.gen(function* () {
        const folder = yield* temporaryFolder;
        const path = join(folder, "there.tar.gz");
        const dataDir = join(folder, "there");
        const there = yield* Effect.gen(function* () {
          const { tables } = yield* restore(everything, dataDir);
          const found = yield* contents;
          // A restore runs the migrations that are newer than the backup.
          for (const { name, rows } of tables.filter((table) => table.name !== "schema_migration"))
            assert.lengthOf(found.rows[name] ?? [], rows, name);
          assert.isAbove(found.rows["delivery"]?.length ?? 0, 0);
          if (inject("testServer").citus !== null) {
            const sql = yield* SqlClient.SqlClient;
            yield* distribute;
            // No row is left where it is not seen.
            for (const name of distributedTables) {
              const [size] = yield* sql<{ readonly bytes: number }>`
                SELECT pg_relation_size(${name}::regclass)::int AS bytes`;
              assert.strictEqual(size?.bytes, 0, name);
            }
            assert.deepStrictEqual(yield* contents, found);
          }
          yield* createBackup({ dataDir, path, bucket: null });
          return found;
        }).pipe(Effect.provide(TestDatabase.layerEmptyCluster));
        const back = yield* Effect.andThen(restore(path, join(folder, "back")), contents).pipe(
          Effect.provide(TestDatabase.layerEmpty),
        );
        assert.deepStrictEqual(back, there);
        assert.sameMembers(yield* Effect.promise(() => readdir(join(folder, "back"))), [
          "media",
          "operator.key",
          "secret.key",
        ]);
      }).pipe(Effect.scoped),
  );

  it.live("a restore refuses a database with tables, and changes nothing (running.backup)", () =>
    Effect.gen(function* () {
      const dataDir = join(yield* temporaryFolder, "data");
      const { message } = yield* Effect.flip(restore(everything, dataDir));
      assert.include(message, "has tables already");
      assert.isFalse(existsSync(dataDir));
      const sql = yield* SqlClient.SqlClient;
      assert.lengthOf(yield* sql`SELECT FROM workspace`, 0);
    }).pipe(Effect.scoped, Effect.provide(TestDatabase.layer)),
  );

  it.live("a restore that fails leaves no table and no data directory (running.backup)", () =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder;
      const dataDir = join(folder, "data");
      const sql = yield* SqlClient.SqlClient;
      // A table outside of the schema of Waypost, whose name the last migration needs.
      yield* sql`CREATE TYPE two_phase AS ENUM ('yes')`;
      yield* Effect.flip(restore(everything, dataDir));
      assert.deepStrictEqual(yield* Effect.promise(() => readdir(folder)), []);
      assert.deepStrictEqual(yield* (yield* backupSql).tables, []);
    }).pipe(Effect.scoped, Effect.provide(TestDatabase.layerEmpty)),
  );
});
