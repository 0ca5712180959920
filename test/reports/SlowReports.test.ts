import { assert, layer } from "@effect/vitest";
import { Deferred, Effect, Exit, Fiber, Metric } from "effect";
import { SqlClient } from "effect/sql";
import { TestClock } from "effect/testing";
import { Reports } from "../../src/reports/Reports.ts";
import { Rollups } from "../../src/reports/rollups/Rollups.ts";
import { RollupSizes } from "../../src/reports/rollups/RollupSizes.ts";
import { SourceRowLimits, TooManySourceRows, slowReports } from "../../src/reports/SlowReports.ts";
import type { TimeZoneName } from "../../src/time/TimeZone.ts";
import { ServiceUnavailable } from "../../src/wire/ApiError.ts";
import { ParsedBody } from "../../src/wire/ParsedBody.ts";
import type { Tenant } from "../../src/workspaces/Workspace.ts";
import { Workspaces } from "../../src/workspaces/Workspaces.ts";
import { testStart, TestWaypost } from "../TestWaypost.ts";
import { campaign, delivery, devices } from "./ReportHistory.ts";
import { reporting } from "./Reporting.ts";

const DAY = 86_400_000;
const many = (rolledUpFrom: number, timezone = "UTC") =>
  new TooManySourceRows({ rows: 1_000_000, rolledUpFrom, timezone: timezone as TimeZoneName });

/** What somebody is told who was refused. */
const refusal = (exit: Exit.Exit<unknown, unknown>): ServiceUnavailable => {
  const found = Exit.isFailure(exit) && exit.cause.reasons.find((reason) => reason._tag === "Fail")?.error;
  if (found instanceof ServiceUnavailable) return found;
  return assert.fail("It was not refused.");
};

layer(TestWaypost.layerWith({ roles: new Set(["api"]) }))("Reports while rollups are made anew", (it) => {
  it.effect("count base rows two at a time; one that waits too long is refused, and has begun nothing", () =>
    Effect.gen(function* () {
      const inTurn = yield* slowReports;
      const gate = yield* Deferred.make<void>();
      let begun = 0;
      const report = inTurn(
        Effect.suspend(() => {
          begun++;
          return Deferred.await(gate);
        }),
        many(testStart),
      );
      const start = Effect.forkChild(report, { startImmediately: true });
      const [first, second, third] = [yield* start, yield* start, yield* start];
      assert.strictEqual(begun, 2);
      yield* TestClock.adjust("15 seconds");
      const told = refusal(yield* Fiber.await(third));
      assert.strictEqual(told.error.code, "service_unavailable");
      assert.strictEqual(told.retryAfter, 15);
      assert.strictEqual(begun, 2);
      // Those that count have more time, and whoever comes next has their turn.
      const fourth = yield* start;
      yield* Deferred.succeed(gate, undefined);
      for (const fiber of [first, second, fourth]) assert.isTrue(Exit.isSuccess(yield* Fiber.await(fiber)));
      assert.strictEqual(begun, 3);
    }),
  );

  it.effect("that count for too long are refused and interrupted, and leave their turn to others", () =>
    Effect.gen(function* () {
      const inTurn = yield* slowReports;
      let interrupted = 0;
      const endless = Effect.onInterrupt(Effect.never, () => Effect.sync(() => interrupted++));
      const fibers = [];
      for (let at = 0; at < 2; at++) {
        fibers.push(yield* Effect.forkChild(inTurn(endless, many(testStart)), { startImmediately: true }));
      }
      yield* TestClock.adjust("30 seconds");
      for (const fiber of fibers) refusal(yield* Fiber.await(fiber));
      assert.strictEqual(interrupted, 2);
      assert.strictEqual(yield* inTurn(Effect.succeed("counted"), many(testStart)), "counted");
    }),
  );

  it.effect("say from which day on figures are ready, where they are from any", () =>
    Effect.gen(function* () {
      const inTurn = yield* slowReports;
      const told = Effect.fnUntraced(function* (of: TooManySourceRows) {
        const fiber = yield* Effect.forkChild(inTurn(Effect.never, of), { startImmediately: true });
        yield* TestClock.adjust("30 seconds");
        return refusal(yield* Fiber.await(fiber)).error.message;
      });
      // Noon of 21 November in UTC; midnight of that day in Auckland, whose clock is 13 hours ahead, was at 11.
      assert.include(yield* told(many(testStart)), "ready from 2026-11-22 on");
      const midnight = testStart - 3_600_000;
      assert.include(yield* told(many(midnight, "Pacific/Auckland")), "ready from 2026-11-22 on");
      assert.include(yield* told(many(midnight + 1, "Pacific/Auckland")), "ready from 2026-11-23 on");
      assert.notInclude(yield* told(many(Infinity)), "ready");
    }),
  );

  it.effect(
    "are answered so far as rollups are there, in turn where there is much to count, and else 503 (K6)",
    () =>
      Effect.gen(function* () {
        const far = testStart - 20 * DAY;
        const { workspace, workspaceId } = yield* reporting({
          devices: devices(60),
          campaigns: [campaign("One")],
          deliveries: Array.from({ length: 60 }, (_, at) => ({
            ...delivery(0, at),
            settledAt: at < 30 ? far : testStart - DAY,
          })),
        });
        const sql = yield* SqlClient.SqlClient;
        const reports = yield* Reports;
        const workspaces = yield* Workspaces;
        const { recordBacklog, step } = yield* Rollups;
        const daysLeft = Effect.gen(function* () {
          yield* recordBacklog;
          const all = yield* Metric.snapshot;
          const found = all.find(({ id }) => id === "waypost_rollup_rebuild_days");
          return found?.type === "Gauge" ? Number(found.state.value) : Number.NaN;
        });
        while (yield* step);
        yield* sql`ANALYZE delivery`;
        const timezone = "Asia/Kathmandu";
        yield* Effect.orDie(workspaces.update(workspace.id, ParsedBody.of({ timezone: timezone as never })));
        const tenant = { workspaceId, environment: "sandbox", workspace: { timezone } } as unknown as Tenant;
        const delivered = (start: string, limits: { readonly quick: number; readonly max: number }) =>
          Effect.exit(reports.summary(tenant, { start, end: "2026-11-22" })).pipe(
            Effect.provideService(SourceRowLimits, limits),
            Effect.map((exit) =>
              Exit.isSuccess(exit) ? JSON.parse(exit.value).data.totals.delivered : refusal(exit),
            ),
          );
        const none = { quick: 5, max: 5 };
        assert.instanceOf(yield* delivered("2026-11-15", none), ServiceUnavailable);
        assert.strictEqual(yield* delivered("2026-11-15", { quick: 5, max: 1000 }), 30);
        // The newest days come first.
        const small = { deliveries: 10, events: 10, rebuild: 30, periods: 8, rows: 10, bytes: 1000 };
        for (let taken = 0; taken < 2; taken++) yield* Effect.provideService(step, RollupSizes, small);
        assert.strictEqual(yield* delivered("2026-11-15", none), 30);
        const refused = yield* delivered("2026-10-25", none);
        assert.instanceOf(refused, ServiceUnavailable);
        assert.match(refused.error.message, /ready from 2026-11-\d\d on/);
        assert.strictEqual(yield* delivered("2026-10-25", { quick: 5, max: 1000 }), 60);
        // From the first instant that is rolled up back to the oldest row, of 1 November.
        const left = yield* daysLeft;
        assert.isTrue(left >= 1 && left <= 20, `${left} days`);
        while (yield* step);
        assert.strictEqual(yield* delivered("2026-10-25", none), 60);
        assert.strictEqual(yield* daysLeft, 0);
      }),
  );
});
