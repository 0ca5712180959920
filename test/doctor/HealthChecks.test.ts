import { assert, describe, it } from "@effect/vitest";
import { Effect, Fiber } from "effect";
import { TestClock } from "effect/testing";
import { runCheck, fine, type Observation } from "../../src/doctor/HealthCheck.ts";
import { checkClocks, checkZones } from "../../src/doctor/ClockHealthCheck.ts";
import { checkConnections, checkServer } from "../../src/doctor/DatabaseHealthCheck.ts";
import type { ServerFacts } from "../../src/doctor/DatabaseFactsSql.ts";
import { roomOf } from "../../src/doctor/FolderHealthCheck.ts";
import { settingsHealthCheck } from "../../src/doctor/SettingsHealthCheck.ts";
import { checkJobs, checkPushes, checkSends, checkWorkers } from "../../src/doctor/WorkerHealthCheck.ts";

const verdicts = (found: Observation | ReadonlyArray<Observation>) =>
  [found].flat().map(({ verdict }: Observation) => verdict);
const seen = (found: ReadonlyArray<Observation>) => found.map((each) => each.seen).join("\n");

describe("a look", () => {
  it.effect("that fails is a problem of its own, and hides no other", () =>
    Effect.gen(function* () {
      const [failed] = yield* runCheck("media", "store", Effect.fail(new Error("no such bucket")));
      const [died] = yield* runCheck("media", "store", Effect.die(new Error("a fault")));
      const [good] = yield* runCheck("media", "store", Effect.succeed(fine("All is well.")));
      assert.deepInclude(failed, { verdict: "problem", seen: "It could not be looked at: no such bucket" });
      assert.deepInclude(died, { verdict: "problem", seen: "It could not be looked at: a fault" });
      assert.deepStrictEqual(good, {
        area: "media",
        check: "store",
        verdict: "ok",
        seen: "All is well.",
        advice: null,
      });
    }),
  );

  it.effect(
    "that hangs is left behind after ten seconds, also where nothing can stop it (running.doctor)",
    () =>
      Effect.gen(function* () {
        const hangs = Effect.uninterruptible(Effect.never);
        const looking = yield* Effect.forkChild(runCheck("media", "store", hangs), {
          startImmediately: true,
        });
        yield* TestClock.adjust("11 seconds");
        const [found] = yield* Fiber.join(looking);
        assert.strictEqual(found?.verdict, "problem");
      }),
  );
});

describe("settings", () => {
  const check = (record: Record<string, string>) =>
    Effect.map(settingsHealthCheck(record, null), ({ findings }) => findings);

  it.effect("are well when they are the defaults", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(verdicts(yield* check({})), ["ok"]);
    }),
  );

  it.effect("that cannot be read are each a problem, and the others are still looked at", () =>
    Effect.gen(function* () {
      const found = yield* check({ PORT: "many", WAYPOST_ROLES: "boss", WAYPOST_HOST: "0.0.0.0" });
      assert.deepStrictEqual(verdicts(found), ["problem", "problem", "warning"]);
      assert.include(seen(found), "PORT must be");
      assert.include(seen(found), "WAYPOST_ROLES must be");
      assert.include(
        seen(found),
        "WAYPOST_PRODUCTION_URL, WAYPOST_SANDBOX_URL, WAYPOST_MEDIA_URL are not set",
      );
    }),
  );

  it.effect("that Waypost does not know are named, with the one that may be meant", () =>
    Effect.gen(function* () {
      const found = (yield* check({
        WAYPOST_DATADIR: "x",
        WAYPOST_FLAVOUR: "x",
        WAYPOST_URL: "http://x",
      })).slice(1);
      assert.deepStrictEqual(verdicts(found), ["warning", "warning"]);
      assert.include(found[0]?.advice ?? "", "WAYPOST_DATA_DIR");
      assert.notInclude(found[1]?.advice ?? "", "meant");
    }),
  );

  it.effect("that contradict each other are told, and no secret is", () =>
    Effect.gen(function* () {
      const found = yield* check({
        WAYPOST_PRODUCTION_URL: "https://push.example.com/platform/v1",
        WAYPOST_SANDBOX_URL: "http://sandbox.example.com/platform/v1",
        WAYPOST_ALLOW_PRIVATE_ADDRESSES: "true",
        WAYPOST_OPERATOR_KEY: "hunter2hunter2",
        WAYPOST_SECRET_KEY: "hunter2hunter2",
      });
      const text = seen(found);
      for (const part of [
        "WAYPOST_SANDBOX_URL is not encrypted",
        "WAYPOST_TRUSTED_PROXIES trusts none",
        "WAYPOST_ALLOW_PRIVATE_ADDRESSES is on",
        "WAYPOST_OPERATOR_KEY has only 14 characters",
        "WAYPOST_SECRET_KEY has only 14 characters",
        "are the same",
      ])
        assert.include(text, part);
      assert.notInclude(JSON.stringify(found), "hunter2");
    }),
  );
});

describe("a disk", () => {
  const gigabyte = 1e9;
  const disk = (free: number, ffree: number, files = 1_000_000) =>
    roomOf("/data", { bsize: 1000, blocks: 100 * 1e6, bavail: free / 1000, files, ffree });

  it("is judged by the bytes and the files that are free", () => {
    assert.deepStrictEqual(verdicts(disk(50 * gigabyte, 900_000)), ["ok", "ok"]);
    assert.deepStrictEqual(verdicts(disk(1.5 * gigabyte, 40_000)), ["warning", "warning"]);
    assert.deepStrictEqual(verdicts(disk(0.1 * gigabyte, 1_000)), ["problem", "problem"]);
    assert.deepStrictEqual(verdicts(disk(50 * gigabyte, 0, 0)), ["ok"]);
    assert.include(seen(disk(50 * gigabyte, 900_000)), "50.0 GB of 100 GB (50 %) are free");
  });
});

describe("a database", () => {
  const good: ServerFacts = {
    version: "18.4",
    account: "waypost",
    is_standby: false,
    is_read_only: false,
    fsync: "on",
    full_page_writes: "on",
    synchronous_commit: "on",
    autovacuum: "on",
    track_counts: "on",
    statement_timeout: "30s",
    bytes: 1,
    most_connections: 97,
    connections: 10,
    transactions_left: 1_900_000_000,
    checksum_failures: 0,
    has_other_collation: false,
  };

  it("is well as PostgreSQL comes", () => {
    assert.deepStrictEqual(verdicts(checkServer(good)), ["ok"]);
  });

  for (const [what, bad] of Object.entries<Partial<ServerFacts>>({
    "takes no changes": { is_standby: true },
    "fsync is off": { fsync: "off" },
    "full_page_writes is off": { full_page_writes: "off" },
    "synchronous_commit is off": { synchronous_commit: "off" },
    "autovacuum is off": { autovacuum: "off" },
    "in 5 transactions the database takes no changes": { transactions_left: 5 },
    "2 pages of the database had a wrong checksum": { checksum_failures: 2 },
    "collations are not those": { has_other_collation: true },
    "a pooler in between drops them": { statement_timeout: "0" },
  })) {
    it(`is not well where ${what}`, () => {
      const found = checkServer({ ...good, ...bad });
      assert.lengthOf(found, 1);
      assert.notStrictEqual(found[0]?.verdict, "ok");
      assert.include(seen(found), what);
      assert.isNotEmpty(found[0]?.advice ?? "");
    });
  }

  it("needs 21 connections for each process, and some that are free", () => {
    assert.deepStrictEqual(verdicts(checkConnections(good, 4)), ["ok"]);
    assert.deepStrictEqual(verdicts(checkConnections(good, 5)), ["warning"]);
    assert.deepStrictEqual(verdicts(checkConnections({ ...good, connections: 96 }, 1)), ["problem"]);
  });
});

describe("clocks", () => {
  it("may differ by a second, and not by five; what is not known exactly is not held against them", () => {
    assert.deepStrictEqual(verdicts(checkClocks("the database", 900, 5)), ["ok"]);
    assert.deepStrictEqual(verdicts(checkClocks("the database", -1_500, 5)), ["warning"]);
    assert.deepStrictEqual(verdicts(checkClocks("the database", 6_000, 5)), ["problem"]);
    assert.deepStrictEqual(verdicts(checkClocks("the database", 6_000, 5_500)), ["ok"]);
    assert.include(checkClocks("the database", -6_000, 0).seen, "6.0 s behind");
  });

  it("know summer time by data of this year or the last", () => {
    assert.deepStrictEqual(verdicts(checkZones("2026a", 2027)), ["ok"]);
    assert.deepStrictEqual(verdicts(checkZones("2024b", 2026)), ["warning"]);
    assert.deepStrictEqual(verdicts(checkZones(undefined, 2026)), ["problem"]);
  });
});

describe("work", () => {
  const now = 1_000_000;
  const session = (name: string, ago: number | null) => ({
    name,
    last_heard: ago === null ? null : now - ago,
  });
  const nothing = {
    overdue: 0,
    abandoned: 0,
    unfinished: 0,
    missed: 0,
    thumbnails_failed: 0,
    thumbnails_late: 0,
    garbage_late: 0,
    keys_late: false,
    feed: 0,
    incomplete: 0,
  };

  it("needs a worker that asks the database again and again", () => {
    assert.deepStrictEqual(verdicts(checkWorkers([], now)), ["warning"]);
    assert.deepStrictEqual(verdicts(checkWorkers([session("waypost api one 1", 5)], now)), ["problem"]);
    const both = [session("waypost api one 1", 90_000), session("waypost api,worker two 22", 500)];
    assert.deepStrictEqual(verdicts(checkWorkers(both, now)), ["ok"]);
    assert.include(seen(checkWorkers(both, now)), "1 worker at work: two (process 22)");
    const silent = checkWorkers([session("waypost worker two 22", 90_000)], now);
    assert.deepStrictEqual(verdicts(silent), ["problem"]);
    assert.include(seen(silent), "two (process 22) has not asked the database anything for 90 s");
    // Another account's sessions hide what they do.
    assert.deepStrictEqual(verdicts(checkWorkers([session("waypost worker two 22", null)], now)), ["ok"]);
  });

  it("that is behind is told, each kind by itself", () => {
    assert.deepStrictEqual(verdicts([...checkSends(nothing), ...checkPushes([]), ...checkJobs(nothing)]), [
      "ok",
      "ok",
      "ok",
    ]);
    const behind = { ...nothing, overdue: 1, abandoned: 2, unfinished: 1, missed: 3 };
    assert.deepStrictEqual(verdicts(checkSends(behind)), ["problem", "problem", "problem", "warning"]);
    assert.deepStrictEqual(
      verdicts(
        checkPushes([
          { transport: "apns", count: 5, late: 0 },
          { transport: "fcm", count: 900, late: 12 },
        ]),
      ),
      ["problem"],
    );
    const late = {
      ...nothing,
      thumbnails_failed: 1,
      thumbnails_late: 1,
      garbage_late: 1,
      keys_late: true,
      feed: 10_001,
      incomplete: 1,
    };
    assert.deepStrictEqual(verdicts(checkJobs(late)), [
      "warning",
      "problem",
      "warning",
      "warning",
      "warning",
      "warning",
    ]);
  });
});
