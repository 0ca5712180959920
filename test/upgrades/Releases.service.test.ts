import { assert, describe, it } from "@effect/vitest";
import { Effect } from "effect";
import { SqlClient } from "effect/sql";
import { TestClock } from "effect/testing";
import { join } from "node:path";
import manifest from "../../package.json" with { type: "json" };
import { checksumOf, type MigrationFile, MigrationFiles } from "../../src/database/migrations/Migrations.ts";
import { restoreBackup } from "../../src/backup/RestoreBackup.ts";
import { makeMatrixFixture, unlimitedWorkspace } from "../matrices/MatrixFixture.ts";
import { type Answer, TestWaypost, testStart } from "../TestWaypost.ts";
import { ownAndNextMigrations, ownMigrations } from "./NextVersion.ts";
import { filesOf, readFixture, type ReleaseFixture, temporaryFolder } from "./ReleaseFixture.ts";
import { crowd, observe, useEverything, work } from "./ReleaseHistory.ts";
import { releases } from "./ReleasedProgram.ts";
import { databaseIn, waypostIn } from "./ReleaseWaypost.ts";

const fixtures = join(import.meta.dirname, "fixtures");

/** Asserts that a response still has everything it had before. A later version may add to it. */
const assertContains = (now: unknown, before: unknown, where: string): void => {
  if (Array.isArray(before)) {
    assert.lengthOf(now as ReadonlyArray<unknown>, before.length, where);
    before.forEach((each, index) => assertContains((now as any)[index], each, `${where}.${index}`));
  } else if (typeof before === "object" && before !== null) {
    assert.isObject(now, where);
    for (const [name, value] of Object.entries(before))
      assertContains((now as any)[name], value, `${where}.${name}`);
  } else assert.deepStrictEqual(now, before, where);
};

const changed = ({ migrations }: ReleaseFixture): ReadonlyArray<string> =>
  migrations
    .filter(({ checksum, name }) => {
      const file = ownMigrations.find((each) => each.name === name);
      return file === undefined || checksumOf(file.text) !== checksum;
    })
    .map(({ name }) => name);

/** Always empty, on purpose: see schema/0020_shard_calls.sql. */
const emptyTables = ["shard_call"];

/** The fixture of a version, whose schema files are those of today. */
const fixtureOf = Effect.fnUntraced(function* (version: string) {
  const fixture = yield* readFixture(fixtures, version);
  assert.deepStrictEqual(
    changed(fixture),
    [],
    `Released files of schema/ never change: put those of ${version} back`,
  );
  return fixture;
});

/** Restores the backup of a fixture with these migrations. Returns the data directory. */
const restored = Effect.fnUntraced(function* (version: string, migrations: ReadonlyArray<MigrationFile>) {
  const dataDir = join(yield* temporaryFolder, "data");
  yield* restoreBackup(filesOf(fixtures, version).backup, dataDir).pipe(
    Effect.provide(MigrationFiles.layerFiles(migrations)),
    TestClock.withLive,
  );
  return dataDir;
});

const ok = ({ body, status }: Answer): any => {
  assert.isBelow(status, 300, JSON.stringify(body));
  return body.data;
};

/** Asserts that the data can be read and used as before. */
const assertWorks = Effect.fnUntraced(function* ({ access, at, seen }: ReleaseFixture) {
  yield* TestClock.setTime(at);
  const { seen: now } = yield* observe(access);
  for (const [path, before] of Object.entries(seen)) assertContains(now[path], before, path);

  // The half-done send finishes, and the planned one starts on time.
  const waypost = yield* TestWaypost;
  const sql = yield* SqlClient.SqlClient;
  yield* work(100);
  yield* TestClock.setTime(testStart + 50 * 60_000);
  yield* work(100);
  const sends = ok(yield* waypost.operator(`/workspaces/${access.workspace}/production/sends?limit=100`));
  const three = sends.filter(({ targeted }: any) => targeted > crowd);
  assert.lengthOf(three, 3);
  // All devices have the message but the one whose push service is not running.
  for (const send of three) assert.strictEqual(send.delivered, send.targeted - 1);
  assert.lengthOf(yield* sql`SELECT FROM send_batch`, 0);
  const twice =
    yield* sql`SELECT FROM delivery GROUP BY workspace_id, source_id, device_key HAVING count(*) > 1`;
  assert.lengthOf(twice, 0);

  // New rows can be added: no sequence returns a used number.
  yield* TestClock.setTime(testStart);
  yield* useEverything(yield* makeMatrixFixture(yield* unlimitedWorkspace, "sandbox"));
});

describe("fixtures of releases", () => {
  it.effect(
    "the fixture of this version has rows in every table, which a later one restores (running.releases)",
    () =>
      Effect.gen(function* () {
        assert.include(releases, manifest.version, "Make it with: npm run release:fixture");
        const { tables } = yield* fixtureOf(manifest.version);
        const unfilled = tables.filter(({ name, rows }) => rows === 0 && !emptyTables.includes(name));
        assert.deepStrictEqual(
          unfilled.map(({ name }) => name),
          [],
          "Add rows in test/upgrades/ReleaseHistory.ts and run: npm run release:fixture",
        );
        const later = ownAndNextMigrations(tables.map(({ name }) => name));
        const dataDir = yield* restored(manifest.version, later);
        const count = Effect.gen(function* () {
          const sql = yield* SqlClient.SqlClient;
          for (const { name, rows } of tables) {
            if (name === "schema_migration") continue;
            const [found] = yield* sql`SELECT count(*)::int AS rows, min(made_up) AS added FROM ${sql(name)}`;
            assert.deepStrictEqual(found, { rows, added: rows === 0 ? null : "made up" }, name);
          }
        });
        yield* Effect.provide(count, databaseIn(dataDir, later));
      }).pipe(Effect.scoped),
    180_000,
  );

  it.effect(
    "a later version reads and continues the data of each release (running.releases)",
    () =>
      Effect.forEach(
        releases,
        Effect.fnUntraced(function* (version) {
          const fixture = yield* fixtureOf(version);
          const dataDir = yield* restored(version, ownMigrations.slice(0, fixture.migrations.length));
          const later = ownAndNextMigrations(fixture.tables.map(({ name }) => name));
          yield* Effect.provide(assertWorks(fixture), waypostIn(dataDir, later));
        }, Effect.scoped),
        { discard: true },
      ),
    180_000,
  );
});
