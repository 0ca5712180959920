import { assert, describe, it } from "@effect/vitest";
import { Effect, Fiber, Layer } from "effect";
import { SqlClient } from "effect/sql";
import { chmod, mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, vi } from "vitest";
import { Database } from "../../../src/database/Database.ts";
import { EmbeddedPostgres } from "../../../src/database/embedded/EmbeddedPostgres.ts";
import { postgresLayer } from "../../../src/database/Postgres.ts";
import { prepareData } from "./PreparedData.ts";
import {
  assertNoPostgresLeft,
  endAll,
  killWatchdogOf,
  postmasterOf,
  startDatabaseProcess,
} from "../RealProcesses.ts";
import { databaseParent } from "../../TestFolder.ts";

let home = "";
/** A data directory with a database. */
let dataDir = "";

beforeEach(async () => {
  home = await mkdtemp(join(databaseParent, "waypost-embedded-"));
  // The database's account must reach a data directory of root.
  await chmod(home, 0o755);
  dataDir = join(home, "data");
  await prepareData(dataDir);
});

afterEach(async () => {
  endAll();
  await assertNoPostgresLeft(dataDir);
  await rm(home, { recursive: true, force: true });
});

describe("a process with the embedded database", () => {
  it("a stop and an uncaught error leave no database process, and all data (running.twice)", async () => {
    const first = startDatabaseProcess(dataDir);
    await first.says("ready 1");
    const other = startDatabaseProcess(dataDir);
    assert.strictEqual(await other.ends(), 1);
    assert.include(other.output(), `The data directory ${dataDir} is in use by process ${first.child.pid}.`);
    assert.doesNotThrow(() => process.kill(first.child.pid ?? 0, 0));
    await first.ends("SIGTERM");
    await assertNoPostgresLeft(dataDir);
    const second = startDatabaseProcess(dataDir);
    await second.says("ready 2");
    await second.ends("SIGINT");
    await assertNoPostgresLeft(dataDir);
    const third = startDatabaseProcess(dataDir);
    await third.says("ready 3");
    third.child.stdin?.write("fail\n");
    assert.strictEqual(await third.ends(), 1);
    await assertNoPostgresLeft(dataDir);
  });

  it("kill -9 loses no commits, and the next start stops what it left running", async () => {
    const first = startDatabaseProcess(dataDir);
    await first.says("ready 1");
    assert.strictEqual(await first.ends("SIGKILL"), "SIGKILL");
    await assertNoPostgresLeft(dataDir);

    const second = startDatabaseProcess(dataDir);
    await second.says("ready 2");
    const orphan = await postmasterOf(dataDir);
    await killWatchdogOf(orphan);
    await second.ends("SIGKILL");
    assert.doesNotThrow(() => process.kill(orphan, 0));

    const third = startDatabaseProcess(dataDir);
    await third.says("ready 3");
    assert.include(third.output(), "that a killed Waypost left running");
    const postmaster = await postmasterOf(dataDir);
    assert.notStrictEqual(postmaster, orphan);
    // The backends stay when the postmaster is killed together with Waypost.
    third.child.kill("SIGSTOP");
    process.kill(postmaster, "SIGKILL");
    await third.ends("SIGKILL");

    const fourth = startDatabaseProcess(dataDir);
    await fourth.says("ready 4");
    await fourth.ends("SIGTERM");
    await assertNoPostgresLeft(dataDir);
  });

  it("files of another major version are refused unchanged, with advice (running.major)", async () => {
    const newDir = join(home, "new");
    const folder = join(newDir, "postgres");
    await mkdir(folder, { recursive: true });
    const refusal = async (major: number) => {
      await writeFile(join(folder, "PG_VERSION"), `${major}\n`);
      const start = Effect.scoped(EmbeddedPostgres.make({ directory: newDir }));
      const { message } = await Effect.runPromise(Effect.flip(start));
      assert.deepStrictEqual(await readdir(newDir), ["postgres"]);
      assert.deepStrictEqual(await readdir(folder), ["PG_VERSION"]);
      return message;
    };
    const older = await refusal(17);
    assert.match(older, /were made by PostgreSQL 17, and this Waypost brings PostgreSQL \d+\./);
    assert.match(older, /\(waypost backup FILE\).*\(waypost restore FILE\)/);
    assert.match(
      await refusal(99),
      /PostgreSQL 99, .* Start the version of Waypost that ran here before, or a later/,
    );
  });

  it("a data directory with a long path has its socket in a temporary folder", async () => {
    const other = join(home, "tmp");
    await mkdir(other);
    // As root, the database's account must enter it.
    await chmod(other, 0o755);
    const long = join(home, "long".repeat(30), "data");
    await prepareData(long);
    vi.stubEnv("TMPDIR", other);
    const run = Effect.flatMap(EmbeddedPostgres.make({ directory: long }), ({ socketPath }) => {
      assert.isTrue(socketPath.startsWith(`${other}/`), socketPath);
      return Effect.promise(() => readdir(other));
    });
    assert.lengthOf(await Effect.runPromise(Effect.scoped(run)), 1);
    vi.unstubAllEnvs();
    await assertNoPostgresLeft(long);
    assert.deepStrictEqual(await readdir(other), []);
  });
});

const limits = { timeout: 100_000, interval: 20 };

describe("the embedded database", () => {
  it.live("a killed server is restarted and the pool reconnects (B3.3, running.away)", () =>
    Effect.gen(function* () {
      const server = yield* EmbeddedPostgres.make({ directory: dataDir });
      const { socketPath: path, username, database } = server;
      yield* Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient;
        const health = yield* Database;
        yield* sql`CREATE TABLE kept (id int)`;
        yield* sql`INSERT INTO kept VALUES (1)`;
        assert.isTrue(yield* health.ready);

        // A running statement holds the dead server's memory, which keeps the new server from starting.
        const long = yield* Effect.forkChild(
          Effect.exit(health.atomically(sql`SELECT count(*) FROM generate_series(1, 1e12)`)),
        );
        yield* Effect.promise(() =>
          vi.waitFor(async () => {
            const rows = await Effect.runPromise(
              sql`SELECT 1 FROM pg_stat_activity WHERE query LIKE '%1e12%' AND pid <> pg_backend_pid()`,
            );
            assert.lengthOf(rows, 1);
          }, limits),
        );
        const killed = (yield* server.pid) ?? 0;
        process.kill(killed, "SIGKILL");
        const exit = yield* Fiber.join(long);
        assert.isTrue(exit._tag === "Failure" && Database.isUnavailable(exit.cause));
        yield* Effect.promise(() =>
          vi.waitFor(async () => {
            assert.notInclude([undefined, killed], await Effect.runPromise(server.pid));
            assert.isTrue(await Effect.runPromise(health.ready));
          }, limits),
        );
        assert.lengthOf(yield* sql`SELECT id FROM kept`, 1);
      }).pipe(
        Effect.provide(
          Layer.provideMerge(
            Database.layerClient,
            postgresLayer({ _tag: "socket", path, username, database }),
          ),
        ),
      );
    }).pipe(Effect.scoped),
  );
});
