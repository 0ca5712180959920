import { assert, describe, it } from "@effect/vitest";
import { Effect, Fiber, Layer } from "effect";
import { SqlClient } from "effect/sql";
import { chmod, chown, mkdir, mkdtemp, readdir, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, vi } from "vitest";
import { Database } from "../../../src/database/Database.ts";
import { EmbeddedPostgres } from "../../../src/database/embedded/EmbeddedPostgres.ts";
import { postgresLayer } from "../../../src/database/Postgres.ts";
import { closedFolder } from "../../../src/database/embedded/PostgresAccount.ts";
import { prepareData } from "./PreparedData.ts";
import {
  assertNoPostgresLeft,
  endAll,
  killWatchdogOf,
  postmasterOf,
  startDatabaseProcess,
} from "../RealProcesses.ts";
import { databaseParent } from "../../TestFolder.ts";

const isRoot = process.getuid?.() === 0;
const nobody = 65_534;
const isCloneOpen = (await closedFolder(fileURLToPath(import.meta.url))) === undefined;

let home = "";
/** A data directory with a database. */
let dataDir = "";
/** A data directory that does not exist yet. */
let newDir = "";

beforeEach(async () => {
  home = await mkdtemp(join(databaseParent, "waypost-embedded-"));
  // The database's account must reach a data directory of root.
  await chmod(home, 0o755);
  dataDir = join(home, "data");
  newDir = join(home, "new");
  await prepareData(dataDir);
});

afterEach(async () => {
  endAll();
  for (const each of [dataDir, newDir])
    if (await stat(join(each, "postgres")).catch(() => undefined)) await assertNoPostgresLeft(each);
  await rm(home, { recursive: true, force: true });
});

describe("a process with the embedded database", () => {
  it("SIGTERM and SIGINT stop the embedded database and keep its data", async () => {
    const first = startDatabaseProcess(dataDir);
    await first.says("ready 1");
    await first.ends("SIGTERM");
    await assertNoPostgresLeft(dataDir);
    const second = startDatabaseProcess(dataDir);
    await second.says("ready 2");
    await second.ends("SIGINT");
    await assertNoPostgresLeft(dataDir);
  });

  it("an uncaught error leaves no database process", async () => {
    const waypost = startDatabaseProcess(dataDir);
    await waypost.says("ready 1");
    waypost.child.stdin?.write("fail\n");
    assert.strictEqual(await waypost.ends(), 1);
    await assertNoPostgresLeft(dataDir);
  });

  it("kill -9 loses no commits, leaves no process, and the next start succeeds", async () => {
    const killed = startDatabaseProcess(dataDir);
    await killed.says("ready 1");
    assert.strictEqual(await killed.ends("SIGKILL"), "SIGKILL");
    const next = startDatabaseProcess(dataDir);
    await next.says("ready 2");
    await next.ends("SIGKILL");
    await assertNoPostgresLeft(dataDir);
  });

  it("a start stops the orphaned database of a killed process", async () => {
    const killed = startDatabaseProcess(dataDir);
    await killed.says("ready 1");
    const orphan = await postmasterOf(dataDir);
    await killWatchdogOf(orphan);
    await killed.ends("SIGKILL");
    assert.doesNotThrow(() => process.kill(orphan, 0));
    const next = startDatabaseProcess(dataDir);
    await next.says("ready 2");
    assert.notStrictEqual(await postmasterOf(dataDir), orphan);
    assert.include(next.output(), "that a killed Waypost left running");
    await next.ends("SIGTERM");
  });

  it("a start stops backends whose postmaster was killed together with Waypost", async () => {
    const killed = startDatabaseProcess(dataDir);
    await killed.says("ready 1");
    const orphan = await postmasterOf(dataDir);
    killed.child.kill("SIGSTOP");
    process.kill(orphan, "SIGKILL");
    await killed.ends("SIGKILL");
    const next = startDatabaseProcess(dataDir);
    await next.says("ready 2");
    await next.ends("SIGTERM");
    await assertNoPostgresLeft(dataDir);
  });

  it("a data directory in use is refused with the holder's pid (running.twice)", async () => {
    const holder = startDatabaseProcess(dataDir);
    await holder.says("ready 1");
    const other = startDatabaseProcess(dataDir);
    assert.strictEqual(await other.ends(), 1);
    assert.include(other.output(), `The data directory ${dataDir} is in use by process ${holder.child.pid}.`);
    assert.doesNotThrow(() => process.kill(holder.child.pid ?? 0, 0));
    await holder.ends("SIGTERM");
  });

  it("a first start that was killed is repeated from the beginning", async () => {
    await mkdir(join(newDir, "postgres.new"), { recursive: true, mode: 0o700 });
    await writeFile(join(newDir, "waypost.lock"), "");
    await writeFile(join(newDir, "postgres.new", "PG_VERSION"), "18\n");
    const waypost = startDatabaseProcess(newDir);
    await waypost.says("ready 1");
    assert.notInclude(await readdir(newDir), "postgres.new");
    await waypost.ends("SIGTERM");
  });

  it("files of another major version are refused unchanged, with advice (running.major)", async () => {
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
    newDir = join(home, "long".repeat(30), "data");
    await prepareData(newDir);
    const waypost = startDatabaseProcess(newDir, { env: { TMPDIR: other } });
    await waypost.says("ready 1");
    assert.lengthOf(await readdir(other), 1);
    await waypost.ends("SIGTERM");
    await assertNoPostgresLeft(newDir);
    assert.deepStrictEqual(await readdir(other), []);
  });

  it.runIf(isRoot)("as root, the data directory and the keys stay closed (running.data)", async () => {
    const waypost = startDatabaseProcess(newDir);
    await waypost.says("ready 1");
    assert.strictEqual((await stat(newDir)).mode & 0o777, 0o700);
    for (const name of ["operator.key", "secret.key", "postgres.log"]) {
      const { mode, uid } = await stat(join(newDir, name));
      assert.deepStrictEqual([name, mode & 0o777, uid], [name, 0o600, 0]);
    }
    assert.notStrictEqual((await stat(join(newDir, "postgres"))).uid, 0);
    await waypost.ends("SIGTERM");
  });

  it.runIf(isRoot)("as root, a folder that the database's account cannot enter is reported", async () => {
    await chmod(home, 0o700);
    const waypost = startDatabaseProcess(newDir);
    assert.strictEqual(await waypost.ends(), 1);
    assert.include(waypost.output(), `the folder ${home} is closed to it`);
    assert.include(waypost.output(), "Set WAYPOST_DATA_DIR to a directory such as /var/lib/waypost");
  });

  it.runIf(isRoot && isCloneOpen)(
    "the embedded database runs as an ordinary user, and then as root on the same data",
    async () => {
      await chown(home, nobody, nobody);
      const waypost = startDatabaseProcess(newDir, { uid: nobody, gid: nobody });
      await waypost.says("ready 1");
      assert.strictEqual((await stat(join(newDir, "operator.key"))).uid, nobody);
      await waypost.ends("SIGTERM");
      await assertNoPostgresLeft(newDir);
      const asRoot = startDatabaseProcess(newDir);
      await asRoot.says("ready 2");
      await asRoot.ends("SIGTERM");
    },
  );
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
