import { assert, describe, it } from "@effect/vitest";
import { Effect, Fiber } from "effect";
import { TestClock } from "effect/testing";
import { factOutcomes, ok, type Outcome, runCheck } from "../../src/doctor/HealthCheck.ts";
import { clockOutcome, zoneDataOutcome } from "../../src/doctor/ClockHealthCheck.ts";
import { connectionOutcome } from "../../src/doctor/DatabaseHealthCheck.ts";
import { serverRows } from "../../src/doctor/ServerRowsSql.ts";
import { diskOutcomes } from "../../src/doctor/DataDirectoryHealthCheck.ts";
import { settingsHealthCheck } from "../../src/doctor/SettingsHealthCheck.ts";
import { experimentOutcomes, pushOutcomes, workerOutcomes } from "../../src/doctor/WorkHealthCheck.ts";
import { workRows } from "../../src/doctor/WorkRowsSql.ts";

const verdicts = (outcomes: Outcome | ReadonlyArray<Outcome>) =>
  [outcomes].flat().map(({ verdict }: Outcome) => verdict);
const observations = (outcomes: ReadonlyArray<Outcome>) =>
  outcomes.map(({ observation }) => observation).join("\n");

describe("runCheck", () => {
  it.effect("a check that fails is a problem of its own", () =>
    Effect.gen(function* () {
      const [failed] = yield* runCheck("media", "store", Effect.fail(new Error("no such bucket")));
      const [died] = yield* runCheck("media", "store", Effect.die(new Error("a fault")));
      const [good] = yield* runCheck("media", "store", Effect.succeed(ok("All is well.")));
      assert.deepInclude(failed, { verdict: "problem", observation: "The check failed: no such bucket" });
      assert.deepInclude(died, { verdict: "problem", observation: "The check failed: a fault" });
      assert.deepStrictEqual(good, {
        area: "media",
        check: "store",
        verdict: "ok",
        observation: "All is well.",
        advice: null,
      });
    }),
  );

  it.effect(
    "a check that hangs is a problem after ten seconds, even if it cannot be interrupted (running.doctor)",
    () =>
      Effect.gen(function* () {
        const hangs = Effect.uninterruptible(Effect.never);
        const running = yield* Effect.forkChild(runCheck("media", "store", hangs), {
          startImmediately: true,
        });
        yield* TestClock.adjust("11 seconds");
        const [found] = yield* Fiber.join(running);
        assert.strictEqual(found?.verdict, "problem");
      }),
  );
});

describe("settingsHealthCheck", () => {
  const check = (record: Record<string, string>) =>
    Effect.map(settingsHealthCheck(record, null), ({ findings }) => findings);

  it.effect("default settings are ok", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(verdicts(yield* check({})), ["ok"]);
    }),
  );

  it.effect("every invalid setting is a problem, and the valid ones are still checked", () =>
    Effect.gen(function* () {
      const found = yield* check({ PORT: "many", WAYPOST_ROLES: "boss", WAYPOST_HOST: "0.0.0.0" });
      assert.deepStrictEqual(verdicts(found), ["problem", "problem", "warning"]);
      assert.include(observations(found), "PORT must be");
      assert.include(observations(found), "WAYPOST_ROLES must be");
      assert.include(
        observations(found),
        "WAYPOST_PRODUCTION_URL, WAYPOST_SANDBOX_URL, WAYPOST_MEDIA_URL are not set",
      );
    }),
  );

  it.effect("an unknown setting is named, with the setting that was probably meant", () =>
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

  it.effect("conflicting settings are named, without their secrets", () =>
    Effect.gen(function* () {
      const found = yield* check({
        WAYPOST_PRODUCTION_URL: "https://push.example.com/platform/v1",
        WAYPOST_SANDBOX_URL: "http://sandbox.example.com/platform/v1",
        WAYPOST_ALLOW_PRIVATE_ADDRESSES: "true",
        WAYPOST_OPERATOR_KEY: "hunter2-hunter3-hunter4-hunter5-hunter6",
        WAYPOST_SECRET_KEY: "hunter2-hunter3-hunter4-hunter5-hunter6",
      });
      const text = observations(found);
      for (const part of [
        "WAYPOST_SANDBOX_URL is not encrypted",
        "WAYPOST_TRUSTED_PROXIES trusts none",
        "WAYPOST_ALLOW_PRIVATE_ADDRESSES is on",
        "are the same",
      ])
        assert.include(text, part);
      assert.notInclude(JSON.stringify(found), "hunter2");
    }),
  );

  it.effect("a number of request processes without the role api is named (running.processes)", () =>
    Effect.gen(function* () {
      const processes = { WAYPOST_PROCESSES: "4" };
      const found = yield* check({ ...processes, WAYPOST_ROLES: "worker" });
      assert.include(observations(found), "WAYPOST_PROCESSES is 4, but without the role api");
      assert.notInclude(observations(yield* check(processes)), "WAYPOST_PROCESSES is");
    }),
  );
});

describe("diskOutcomes", () => {
  const gigabyte = 1e9;
  const disk = (free: number, ffree: number, files = 1_000_000) =>
    diskOutcomes("/data", { bsize: 1000, blocks: 100 * 1e6, bavail: free / 1000, files, ffree });

  it("the outcome for a disk depends on its free bytes and free files", () => {
    assert.deepStrictEqual(verdicts(disk(50 * gigabyte, 900_000)), ["ok", "ok"]);
    assert.deepStrictEqual(verdicts(disk(1.5 * gigabyte, 40_000)), ["warning", "warning"]);
    assert.deepStrictEqual(verdicts(disk(0.1 * gigabyte, 1_000)), ["problem", "problem"]);
    assert.deepStrictEqual(verdicts(disk(50 * gigabyte, 0, 0)), ["ok"]);
    assert.include(observations(disk(50 * gigabyte, 900_000)), "50.0 GB of 100 GB (50 %) are free");
  });
});

describe("the database server", () => {
  const serverOutcomes = (facts: Parameters<typeof factOutcomes<string | number | boolean>>[2]) =>
    factOutcomes("fine", serverRows, facts);
  it("PostgreSQL with its defaults is ok", () => {
    assert.deepStrictEqual(verdicts(serverOutcomes({})), ["ok"]);
  });

  for (const [sentence, bad] of Object.entries({
    "accepts no changes: it is a standby": { is_read_only: true },
    "fsync is off": { fsync: true },
    "full_page_writes is off": { full_page_writes: true },
    "synchronous_commit is off": { synchronous_commit: true },
    "autovacuum is off": { autovacuum: true },
    "in 5 transactions the database accepts no changes": { transactions_left: 5 },
    "2 pages of the database had a wrong checksum": { checksum_failures: 2 },
    "collations of the system differ": { has_other_collation: true },
    "a pooler drops them": { statement_timeout: "0" },
  })) {
    it(`a server is not ok if ${sentence}`, () => {
      const found = serverOutcomes(bad);
      assert.lengthOf(found, 1);
      assert.notStrictEqual(found[0]?.verdict, "ok");
      assert.include(observations(found), sentence);
      assert.isNotEmpty(found[0]?.advice ?? "");
    });
  }

  it("each process needs 21 connections, and a few must be free", () => {
    const used = { connections: 10, max_connections: 97 };
    assert.deepStrictEqual(verdicts(connectionOutcome(used, [21, 21, 21, 21])), ["ok"]);
    assert.deepStrictEqual(verdicts(connectionOutcome(used, [21, 21, 21, 21, 21])), ["warning"]);
    assert.deepStrictEqual(verdicts(connectionOutcome({ ...used, connections: 96 }, [21])), ["problem"]);
  });
});

describe("clocks", () => {
  it("a clock may differ by a second but not by five, beyond the accuracy of the comparison", () => {
    assert.deepStrictEqual(verdicts(clockOutcome("the database", 900, 5)), ["ok"]);
    assert.deepStrictEqual(verdicts(clockOutcome("the database", -1_500, 5)), ["warning"]);
    assert.deepStrictEqual(verdicts(clockOutcome("the database", 6_000, 5)), ["problem"]);
    assert.deepStrictEqual(verdicts(clockOutcome("the database", 6_000, 5_500)), ["ok"]);
    assert.include(clockOutcome("the database", -6_000, 0).observation, "6.0 s behind");
  });

  it("time zone data must be from this year or the last", () => {
    assert.deepStrictEqual(verdicts(zoneDataOutcome("2026a", 2027)), ["ok"]);
    assert.deepStrictEqual(verdicts(zoneDataOutcome("2024b", 2026)), ["warning"]);
    assert.deepStrictEqual(verdicts(zoneDataOutcome(undefined, 2026)), ["problem"]);
  });
});

describe("work", () => {
  const now = 1_000_000;
  const session = (name: string, ago: number | null) => ({
    name,
    last_statement_at: ago === null ? null : now - ago,
  });

  // Statements are not made without a database.
  const { jobs, sends } = workRows((() => null) as never, now, 14);

  it("a worker must keep querying the database", () => {
    assert.deepStrictEqual(verdicts(workerOutcomes([], now)), ["warning"]);
    assert.deepStrictEqual(verdicts(workerOutcomes([session("waypost api one 1", 5)], now)), ["problem"]);
    const both = [session("waypost api one 1", 90_000), session("waypost api,worker two 22", 500)];
    assert.deepStrictEqual(verdicts(workerOutcomes(both, now)), ["ok"]);
    assert.include(observations(workerOutcomes(both, now)), "1 active worker: two (process 22)");
    const silent = workerOutcomes([session("waypost worker two 22", 90_000)], now);
    assert.deepStrictEqual(verdicts(silent), ["problem"]);
    assert.include(observations(silent), "two (process 22) has sent the database no statement for 90 s");
    // The activity of another account's session is hidden.
    assert.deepStrictEqual(verdicts(workerOutcomes([session("waypost worker two 22", null)], now)), ["ok"]);
  });

  it("every kind of late work has its own outcome", () => {
    assert.deepStrictEqual(
      verdicts([...factOutcomes("fine", sends, {}), ...pushOutcomes([]), ...factOutcomes("fine", jobs, {})]),
      ["ok", "ok", "ok"],
    );
    const behind = { overdue: 1, unplanned: 2, abandoned: 2, unfinished: 1, missed: 3 };
    assert.deepStrictEqual(verdicts(factOutcomes("fine", sends, behind)), [
      "problem",
      "problem",
      "problem",
      "problem",
      "warning",
    ]);
    assert.deepStrictEqual(
      verdicts(
        pushOutcomes([
          { transport: "apns", count: 5, late: 0 },
          { transport: "fcm", count: 900, late: 12 },
        ]),
      ),
      ["problem"],
    );
    const late = {
      thumbnails_failed: 1,
      thumbnails_late: 1,
      garbage_late: 1,
      keys_late: 1,
      many_deltas: 1,
      incomplete_rollups: 1,
    };
    assert.deepStrictEqual(verdicts(factOutcomes("fine", jobs, late)), [
      "warning",
      "problem",
      "warning",
      "warning",
      "warning",
      "warning",
    ]);
  });
});

describe("experimentOutcomes", () => {
  const experiment = (holdout: number, enrolled: Readonly<Record<string, number>>) => ({
    workspace: "Acme",
    environment: "production",
    campaign: "Opening week",
    holdout,
    notifications: [{ id: "n", variants: [{ key: "b", weight: 50 }] }],
    enrolled,
  });

  it("arms that do not have the people of their weights are a warning (U6, running.doctor)", () => {
    const good = experiment(10, { "0 holdout": 100, "0 all": 900, "n b": 440, "n control": 460 });
    const bad = experiment(10, { "0 holdout": 10, "0 all": 900, "n b": 440, "n control": 460 });
    assert.deepStrictEqual(verdicts(experimentOutcomes([])), ["ok"]);
    assert.deepStrictEqual(verdicts(experimentOutcomes([good])), ["ok"]);
    const found = experimentOutcomes([good, bad]);
    assert.deepStrictEqual(verdicts(found), ["warning"]);
    assert.include(observations(found), '"Opening week" of Acme (production)');
  });
});
