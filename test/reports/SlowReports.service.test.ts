import { assert, layer } from "@effect/vitest";
import { Effect, Exit, Fiber, Metric } from "effect";
import { SqlClient } from "effect/sql";
import { TestClock } from "effect/testing";
import { Reports } from "../../src/reports/Reports.ts";
import { Rollups } from "../../src/reports/rollups/Rollups.ts";
import { RollupSizes } from "../../src/reports/rollups/RollupSizes.ts";
import {
  rollupsIncomplete,
  SourceRowLimits,
  TooManySourceRows,
  slowReport,
} from "../../src/reports/SlowReports.ts";
import type { TimeZoneName } from "../../src/time/TimeZone.ts";
import { ServiceUnavailable } from "../../src/wire/ApiError.ts";
import { ParsedBody } from "../../src/wire/ParsedBody.ts";
import type { Tenant } from "../../src/workspaces/Workspace.ts";
import { Workspaces } from "../../src/workspaces/Workspaces.ts";
import { testStart, TestWaypost } from "../TestWaypost.ts";
import { campaign, delivery, devices } from "./ReportHistory.ts";
import { reporting } from "./Reporting.ts";
import { rollUp } from "./rollups/StoredRollups.ts";

const DAY = 86_400_000;
const tooMany = (rolledUpFrom: number, timezone = "UTC") =>
  new TooManySourceRows({ rows: 1_000_000, rolledUpFrom, timezone: timezone as TimeZoneName });

/** The error of a report that was refused. */
const refusalOf = (exit: Exit.Exit<unknown, unknown>): ServiceUnavailable => {
  const found = Exit.isFailure(exit) && exit.cause.reasons.find((reason) => reason._tag === "Fail")?.error;
  if (found instanceof ServiceUnavailable) return found;
  return assert.fail("The report was not refused.");
};

layer(TestWaypost.layerWith({ roles: new Set(["api"]) }))("Reports during a rebuild", (it) => {
  it.effect("a slow report that runs for 25 seconds is refused and interrupted", () =>
    Effect.gen(function* () {
      let interrupted = 0;
      const endless = Effect.onInterrupt(Effect.never, () => Effect.sync(() => interrupted++));
      const fiber = yield* Effect.forkChild(slowReport(endless, tooMany(testStart)), {
        startImmediately: true,
      });
      yield* TestClock.adjust("25 seconds");
      const refusal = refusalOf(yield* Fiber.await(fiber));
      assert.strictEqual(refusal.error.code, "service_unavailable");
      assert.strictEqual(refusal.retryAfter, 15);
      assert.strictEqual(interrupted, 1);
      assert.strictEqual(yield* slowReport(Effect.succeed("counted"), tooMany(testStart)), "counted");
    }),
  );

  it.effect("the refusal of a slow report names the first day whose figures are ready", () =>
    Effect.sync(() => {
      const messageOf = (refusal: TooManySourceRows) => rollupsIncomplete(refusal).error.message;
      // Noon of 21 November in UTC; in Auckland, 13 hours ahead, the 22nd began at 11:00Z.
      assert.include(messageOf(tooMany(testStart)), "ready from 2026-11-22 on");
      const midnight = testStart - 3_600_000;
      const inAuckland = (rolledUpFrom: number) => messageOf(tooMany(rolledUpFrom, "Pacific/Auckland"));
      assert.include(inAuckland(midnight), "ready from 2026-11-22 on");
      assert.include(inAuckland(midnight + 1), "ready from 2026-11-23 on");
      assert.notInclude(messageOf(tooMany(Infinity)), "ready");
    }),
  );

  it.effect(
    "a report with many source rows is answered with a permit or refused, until rollups cover its range (K6)",
    () =>
      Effect.gen(function* () {
        const { workspace, workspaceId } = yield* reporting({
          devices: devices(60),
          campaigns: [campaign("One")],
          deliveries: Array.from({ length: 60 }, (_, index) =>
            delivery(0, index, { settledAt: testStart - (index < 30 ? 20 : 1) * DAY }),
          ),
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
        yield* rollUp;
        yield* sql`ANALYZE delivery`;
        const timezone = "Asia/Kathmandu";
        yield* Effect.orDie(workspaces.update(workspace.id, ParsedBody.of({ timezone: timezone as never })));
        const tenant = {
          workspaceId,
          environment: "sandbox",
          workspace: { timezone },
        } as unknown as Tenant;
        const delivered = (start: string, max: number) =>
          Effect.exit(reports.summary(tenant, { start, end: "2026-11-22" })).pipe(
            Effect.provideService(SourceRowLimits, { quick: 5, max }),
            Effect.map((exit) =>
              Exit.isSuccess(exit) ? JSON.parse(exit.value).data.totals.delivered : refusalOf(exit),
            ),
          );
        assert.instanceOf(yield* delivered("2026-11-15", 5), ServiceUnavailable);
        assert.strictEqual(yield* delivered("2026-11-15", 1000), 30);
        // The newest days are rebuilt first.
        const sizes = { deliveries: 10, events: 10, rebuild: 30, periods: 8, rows: 10, bytes: 1000 };
        for (let count = 0; count < 2; count++) yield* Effect.provideService(step, RollupSizes, sizes);
        assert.strictEqual(yield* delivered("2026-11-15", 5), 30);
        const refused = yield* delivered("2026-10-25", 5);
        assert.instanceOf(refused, ServiceUnavailable);
        assert.match(refused.error.message, /ready from 2026-11-\d\d on/);
        assert.strictEqual(yield* delivered("2026-10-25", 1000), 60);
        // From the first instant that is rolled up back to the oldest row, of 1 November.
        const left = yield* daysLeft;
        assert.isTrue(left >= 1 && left <= 20, `${left} days`);
        yield* rollUp;
        assert.strictEqual(yield* delivered("2026-10-25", 5), 60);
        assert.strictEqual(yield* daysLeft, 0);
      }),
  );
});
