import { assert, describe, it } from "@effect/vitest";
import { Effect } from "effect";
import { SqlClient } from "effect/sql";
import { TestClock } from "effect/testing";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import manifest from "../../package.json" with { type: "json" };
import { checksumOf, type MigrationFile, MigrationFiles } from "../../src/database/migrations/Migrations.ts";
import { restoreBackup } from "../../src/backup/RestoreBackup.ts";
import { makeMatrixFixture, unlimitedWorkspace } from "../matrices/MatrixFixture.ts";
import { type Answer, TestWaypost, testStart } from "../TestWaypost.ts";
import { own, ownAndNext } from "./NextVersion.ts";
import { filesOf, makeFixture, readFixture, type ReleaseFixture, temporaryFolder } from "./ReleaseFixture.ts";
import { crowd, observe, useEverything, work } from "./ReleaseHistory.ts";
import { databaseIn, waypostIn } from "./ReleaseWaypost.ts";

const fixtures = join(import.meta.dirname, "fixtures");
const versions = readdirSync(fixtures)
  .filter((name) => name.endsWith(".tar.gz"))
  .map((name) => name.replace(".tar.gz", ""));

/** What was told before is told still; a later version may tell more. */
const assertStillTold = (now: unknown, before: unknown, where: string): void => {
  if (Array.isArray(before)) {
    assert.lengthOf(now as ReadonlyArray<unknown>, before.length, where);
    before.forEach((each, index) => assertStillTold((now as any)[index], each, `${where}.${index}`));
  } else if (typeof before === "object" && before !== null) {
    assert.isObject(now, where);
    for (const [name, value] of Object.entries(before))
      assertStillTold((now as any)[name], value, `${where}.${name}`);
  } else assert.deepStrictEqual(now, before, where);
};

const changed = ({ migrations }: ReleaseFixture): ReadonlyArray<string> =>
  migrations
    .filter(({ checksum, name }) => {
      const file = own.find((each) => each.name === name);
      return file === undefined || checksumOf(file.text) !== checksum;
    })
    .map(({ name }) => name);

/** Until it is released, schema files are edited in place, and the fixture may lag: then one is made for the test. */
const isReleased = !readFileSync(new URL("../../CHANGELOG.md", import.meta.url), "utf8").includes(
  `## [Unreleased] ${manifest.version}`,
);

/** What a fixture holds, and the folder with its backup. */
const fixtureOf = Effect.fnUntraced(function* (version: string) {
  const kept = yield* readFixture(fixtures, version);
  const differs = changed(kept);
  if (version === manifest.version && !isReleased && differs.length > 0) {
    const folder = yield* temporaryFolder;
    return { ...(yield* makeFixture(folder, version)), folder };
  }
  assert.deepStrictEqual(
    differs,
    [],
    `Files of schema/ that ${version} was made by, and that never change: put them back`,
  );
  return { ...kept, folder: fixtures };
});

/** The data directory that a restore of the fixture by these migrations leaves. */
const restored = Effect.fnUntraced(function* (
  version: string,
  folder: string,
  migrations: ReadonlyArray<MigrationFile>,
) {
  const dataDir = join(yield* temporaryFolder, "data");
  yield* restoreBackup(filesOf(folder, version).backup, dataDir).pipe(
    Effect.provide(MigrationFiles.layerFiles(migrations)),
    TestClock.withLive,
  );
  return dataDir;
});

const ok = ({ body, status }: Answer): any => {
  assert.isBelow(status, 300, JSON.stringify(body));
  return body.data;
};

/** Everything that was there goes on. */
const goesOn = Effect.fnUntraced(function* ({ asking, at, seen }: ReleaseFixture) {
  yield* TestClock.setTime(at);
  const { seen: now } = yield* observe(asking);
  for (const [path, told] of Object.entries(seen)) assertStillTold(now[path], told, path);

  // The send that was in the middle comes to its end, and the one that was planned starts at its minute.
  const waypost = yield* TestWaypost;
  const sql = yield* SqlClient.SqlClient;
  yield* work(100);
  yield* TestClock.setTime(testStart + 50 * 60_000);
  yield* work(100);
  const sends = ok(yield* waypost.operator(`/workspaces/${asking.workspace}/production/sends?limit=100`));
  const three = sends.filter(({ targeted }: any) => targeted > crowd);
  assert.lengthOf(three, 3);
  // All have it, but for the one device whose push service is not asked here.
  for (const send of three) assert.strictEqual(send.delivered, send.targeted - 1);
  assert.lengthOf(yield* sql`SELECT FROM send_batch`, 0);
  const twice =
    yield* sql`SELECT FROM delivery GROUP BY workspace_id, source_id, device_key HAVING count(*) > 1`;
  assert.lengthOf(twice, 0);

  // And everything can be made anew: no sequence gives a number that is taken.
  yield* TestClock.setTime(testStart);
  yield* useEverything(yield* makeMatrixFixture(yield* unlimitedWorkspace, "sandbox"));
});

describe("fixtures of releases", () => {
  it.effect(
    "of the present version is there, has rows in every table, and is restored by a later version with all of them (running.releases)",
    () =>
      Effect.gen(function* () {
        assert.include(versions, manifest.version, "Make it by: npm run release:fixture");
        const { folder, tables } = yield* fixtureOf(manifest.version);
        const unfilled = tables.filter(({ rows }) => rows === 0);
        assert.deepStrictEqual(
          unfilled.map(({ name }) => name),
          [],
          "Fill these in test/upgrades/ReleaseHistory.ts, and make the fixture again: npm run release:fixture",
        );
        const later = ownAndNext(tables.map(({ name }) => name));
        const dataDir = yield* restored(manifest.version, folder, later);
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
    "of each version: a later one on its data directory gives the same answers, goes on with its sends, and can be used (running.releases)",
    () =>
      Effect.forEach(
        versions,
        Effect.fnUntraced(function* (version) {
          const fixture = yield* fixtureOf(version);
          const dataDir = yield* restored(version, fixture.folder, own.slice(0, fixture.migrations.length));
          const later = ownAndNext(fixture.tables.map(({ name }) => name));
          yield* Effect.provide(goesOn(fixture), waypostIn(dataDir, later));
        }, Effect.scoped),
        { discard: true },
      ),
    180_000,
  );
});
