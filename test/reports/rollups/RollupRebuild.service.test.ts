import { assert, layer } from "@effect/vitest";
import { Effect, Exit } from "effect";
import { SqlClient } from "effect/sql";
import fc from "fast-check";
import { RollupRebuildSql } from "../../../src/reports/rollups/rebuild/RollupRebuildSql.ts";
import { Rollups } from "../../../src/reports/rollups/Rollups.ts";
import { RollupSizes } from "../../../src/reports/rollups/RollupSizes.ts";
import type { PendingTenant } from "../../../src/reports/rollups/RollupTypes.ts";
import { Workspaces } from "../../../src/workspaces/Workspaces.ts";
import { cases } from "../../FixedSeed.ts";
import { writeEvents } from "../../SourceRows.ts";
import { testStart, TestWaypost } from "../../TestWaypost.ts";
import { anyHistory } from "../AnyHistory.ts";
import { record } from "../RecordedHistory.ts";
import { assertRebuildIsSame, rollUp } from "./StoredRollups.ts";

/** Few devices, locations and instants, so that many events meet. */
const anyEvents = fc.array(
  fc.record({
    device: fc.integer({ min: 1, max: 3 }),
    location: fc.constantFrom(1, 2, 33),
    isEntry: fc.boolean(),
    minute: fc.nat({ max: 20 }),
    isBoundary: fc.constantFrom(true, true, true, false),
    isPending: fc.boolean(),
  }),
  { maxLength: 40 },
);
/** The minute at which the period ends that is read. */
const end = 12;
const instant = (minute: number) => testStart + (minute - 15) * 60_000;

// No jobs run beside the test.
layer(TestWaypost.layerWith({ roles: new Set(["api"]) }))("A rebuild of rollups", (it) => {
  it.effect("a visit ends with the device's earliest later exit that is in no pending delta (K5)", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient;
      const { events: read } = yield* RollupRebuildSql;
      for (const events of fc.sample(anyEvents, { numRuns: cases(40), seed: 27 })) {
        const { workspace } = yield* (yield* TestWaypost).tenant();
        const { workspaceId } = yield* Effect.orDie((yield* Workspaces).find(workspace.id));
        const tenant = { workspaceId, environment: "sandbox", timezone: "UTC" } as PendingTenant;
        yield* sql`INSERT INTO retention (workspace_id, environment, events_before)
          VALUES (${workspaceId}, 'sandbox', ${new Date(instant(20))})`;
        const isLeftOut = (each: (typeof events)[number]) => each.isPending && each.minute >= end;
        for (const each of events) {
          const at = new Date(instant(each.minute));
          // An event that comes so late may belong to compacted ones.
          const received = each.isBoundary ? at : new Date(at.getTime() + 60 * 86_400_000);
          const insert = sql`
            INSERT INTO geofence_event (workspace_id, environment, device_key, id, type, location_key,
              occurred_at, received_at)
            VALUES (${workspaceId}, 'sandbox', ${each.device}, gen_random_uuid(),
              ${each.isEntry ? "enter" : "exit"}, ${each.location}, ${at}, ${received})`;
          yield* isLeftOut(each) ? writeEvents(insert) : insert;
        }
        const found = yield* read(tenant, { fromMs: instant(0), toMs: instant(end) });
        for (const location of [1, 2, 33]) {
          const here = events.filter((each) => each.location === location && each.minute <= 20);
          const inPeriod = here.filter(({ minute }) => minute < end);
          const exits = here.filter((each) => !each.isEntry && each.isBoundary && !isLeftOut(each));
          const lengths = inPeriod
            .filter(({ isBoundary, isEntry }) => isEntry && isBoundary)
            .map(({ device, minute }) =>
              Math.min(
                ...exits.flatMap((exit) =>
                  exit.device === device && exit.minute > minute ? [exit.minute - minute] : [],
                ),
              ),
            )
            .filter(Number.isFinite);
          const rows = found.filter((row) => row.location_key === location);
          const sum = (of: (row: (typeof rows)[number]) => number) =>
            rows.reduce((all, row) => all + of(row), 0);
          assert.deepStrictEqual(
            [
              sum(({ entries }) => entries),
              sum(({ exits }) => exits),
              sum(({ visits }) => visits),
              sum(({ visitMicros }) => Number(visitMicros)),
            ],
            [
              inPeriod.filter(({ isEntry }) => isEntry).length,
              inPeriod.filter(({ isEntry }) => !isEntry).length,
              lengths.length,
              lengths.reduce((all, minutes) => all + minutes * 60_000_000, 0),
            ],
          );
        }
      }
    }).pipe(Effect.provide(RollupRebuildSql.layer)),
  );

  it.effect(
    "a rebuild that dies at any point has changed nothing, and the next one completes it (K1, K3)",
    () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient;
        const { step } = yield* Rollups;
        const [history] = fc.sample(anyHistory, { numRuns: 1, seed: 141_121 });
        const tenant = yield* (yield* TestWaypost).tenant();
        const { workspaceId } = yield* Effect.orDie((yield* Workspaces).find(tenant.workspace.id));
        yield* record(workspaceId, "sandbox", history ?? {});
        yield* rollUp;
        const reports = Effect.forEach(["summary", "locations"], (report) =>
          Effect.map(
            tenant.sandbox(`/reports/${report}?start=2026-10-23&end=2026-11-21`),
            ({ body }) => body,
          ),
        );
        const expected = yield* reports;
        yield* sql`UPDATE rollup_state SET timezone = '' WHERE workspace_id = ${workspaceId}`;
        const sizes = { ...RollupSizes.defaultValue(), rebuild: 100, rows: 500, periods: 2 };
        let [deaths, hasMore] = [0, true];
        while (hasMore) {
          // Each time more reads of a size later, until the step reaches its end.
          for (let last = 1; ; last += 1 + Math.floor(last / 2)) {
            let reads = 0;
            const dying = new Proxy(sizes, {
              get: (target, name, receiver) => {
                if (reads++ === last) throw new Error("The process is killed.");
                return Reflect.get(target, name, receiver) as unknown;
              },
            });
            const exit = yield* Effect.exit(Effect.provideService(step, RollupSizes, dying));
            assert.deepStrictEqual(yield* reports, expected, `after ${deaths} deaths`);
            if (Exit.isSuccess(exit)) {
              hasMore = exit.value;
              break;
            }
            deaths++;
          }
        }
        assert.isAbove(deaths, 10);
        yield* assertRebuildIsSame(workspaceId, "after deaths");
      }),
  );
});
