import { assert, describe, it } from "@effect/vitest";
import { Effect } from "effect";
import { SqlClient } from "effect/sql";
import { TestClock } from "effect/testing";
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { brotliDecompressSync } from "node:zlib";
import manifest from "../../package.json" with { type: "json" };
import { checksumOf, type MigrationFile, MigrationFiles } from "../../src/database/Migrations.ts";
import { restoreBackup } from "../../src/operator/backup/RestoreBackup.ts";
import { makeGround, roomyWorkspace } from "../matrices/Ground.ts";
import { type Answer, TestWaypost, testStart } from "../TestWaypost.ts";
import { own, ownAndNext } from "./NextVersion.ts";
import { type Asking, crowd, observe, useEverything, work } from "./ReleaseHistory.ts";
import { databaseIn, waypostIn } from "./ReleaseWaypost.ts";

const fixtures = join(import.meta.dirname, "fixtures");
const versions = readdirSync(fixtures)
  .filter((name) => name.endsWith(".tar.gz"))
  .map((name) => name.replace(".tar.gz", ""));

/** Tables that no fixture fills, and why. */
const without = new Set([
  // Made by packing, which works on rows of long ago.
  "packed_delivery",
  "packed_event",
  "retention",
]);

interface Fixture {
  /** Those that the version had. */
  readonly migrations: ReadonlyArray<{ readonly name: string; readonly checksum: string }>;
  readonly tables: ReadonlyArray<{ readonly name: string; readonly rows: number }>;
  readonly at: number;
  readonly asking: Asking;
  readonly seen: Readonly<Record<string, unknown>>;
}

const fixtureOf = (version: string): Fixture =>
  JSON.parse(brotliDecompressSync(readFileSync(join(fixtures, `${version}.json.br`))).toString()) as Fixture;

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

/** A folder of the test's own, and the fixture restored in it by these migrations. */
const restored = Effect.fnUntraced(function* (version: string, migrations: ReadonlyArray<MigrationFile>) {
  const home = yield* Effect.acquireRelease(
    Effect.sync(() => {
      const made = mkdtempSync(join(tmpdir(), "waypost-upgrade-"));
      // As root the database runs as another account, which must get through.
      chmodSync(made, 0o755);
      return made;
    }),
    (made) => Effect.sync(() => rmSync(made, { recursive: true, force: true })),
  );
  const dataDir = join(home, "data");
  yield* restoreBackup(join(fixtures, `${version}.tar.gz`), dataDir).pipe(
    Effect.provide(MigrationFiles.layerFiles(migrations)),
    TestClock.withLive,
  );
  return dataDir;
});

const assertReleased = (version: string, { migrations }: Fixture): void => {
  for (const { checksum, name } of migrations) {
    const file = own.find((each) => each.name === name);
    assert.strictEqual(
      checksumOf(file?.text ?? ""),
      checksum,
      `schema/${name} is not the one that ${version} was made by. A released file never changes: put it back. Before the release: ` +
        "npm run release:fixture, and commit what it writes.",
    );
  }
};

const ok = ({ body, status }: Answer): any => {
  assert.isBelow(status, 300, JSON.stringify(body));
  return body.data;
};

/** Everything that was there goes on. */
const goesOn = Effect.fnUntraced(function* ({ asking, at, seen }: Fixture) {
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
  const twice = yield* sql`SELECT FROM delivery GROUP BY workspace_id, origin, device_no HAVING count(*) > 1`;
  assert.lengthOf(twice, 0);

  // And everything can be made anew: no sequence gives a number that is taken.
  yield* TestClock.setTime(testStart);
  yield* useEverything(yield* makeGround(yield* roomyWorkspace, "sandbox"));
});

describe("fixtures of releases", () => {
  it("are there for the present version, with rows in every table", () => {
    assert.include(versions, manifest.version, "Make it by: npm run release:fixture");
    const unfilled = fixtureOf(manifest.version).tables.filter(
      ({ name, rows }) => rows === 0 && !without.has(name),
    );
    assert.deepStrictEqual(
      unfilled.map(({ name }) => name),
      [],
      "Fill these in test/upgrades/ReleaseHistory.ts, and make the fixture again: npm run release:fixture",
    );
  });

  for (const version of versions) {
    it.effect(
      `${version}: a later version on its data directory gives the same answers, goes on with its sends, and can be used`,
      () =>
        Effect.gen(function* () {
          const fixture = fixtureOf(version);
          assertReleased(version, fixture);
          const dataDir = yield* restored(version, own.slice(0, fixture.migrations.length));
          const later = ownAndNext(fixture.tables.map(({ name }) => name));
          yield* Effect.provide(goesOn(fixture), waypostIn(dataDir, later));
        }).pipe(Effect.scoped),
      120_000,
    );
  }

  it.effect(
    "are restored by a later version with every row",
    () =>
      Effect.gen(function* () {
        const { tables } = fixtureOf(manifest.version);
        const later = ownAndNext(tables.map(({ name }) => name));
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
    120_000,
  );
});
