import { assert, layer } from "@effect/vitest";
import { Effect } from "effect";
import { SqlClient } from "effect/sql";
import fc from "fast-check";
import {
  campaignRowStatuses,
  locationRowStatuses,
  notificationRowStatuses,
} from "../../../src/reports/Report.ts";
import { Retention, RetentionSizes } from "../../../src/reports/retention/Retention.ts";
import { Rollups } from "../../../src/reports/rollups/Rollups.ts";
import { RollupSizes } from "../../../src/reports/rollups/RollupSizes.ts";
import { ParsedBody } from "../../../src/wire/ParsedBody.ts";
import { Workspaces } from "../../../src/workspaces/Workspaces.ts";
import { testStart, TestWaypost } from "../../TestWaypost.ts";
import { anyHistory, anyRequest, queryOf, type ReportRequest, zones } from "../AnyHistory.ts";
import { record } from "../RecordedHistory.ts";
import { ReportOracle } from "../ReportOracle.ts";
import { assertRebuildIsSame } from "../rollups/StoredRollups.ts";
import { writeEvents } from "../../SourceRows.ts";
import { cases } from "../../FixedSeed.ts";

const HOUR = 3_600_000;

const statuses = {
  summary: campaignRowStatuses,
  campaigns: campaignRowStatuses,
  locations: locationRowStatuses,
  notifications: notificationRowStatuses,
  interactions: notificationRowStatuses,
} as const;

// No jobs run beside the test.
layer(TestWaypost.layerWith({ roles: new Set(["api"]) }))("Compacted rows", (it) => {
  const runs = cases(5);
  it.effect(
    "compacted rows count in every report, in any time zone (K1, K2, K3, K4, K5, K6, K7, K8, M2)",
    () =>
      Effect.gen(function* () {
        const waypost = yield* TestWaypost;
        const workspaces = yield* Workspaces;
        const sql = yield* SqlClient.SqlClient;
        const rollups = yield* Rollups;
        const retention = yield* Retention;
        const step = Effect.provideService(rollups.step, RollupSizes, {
          deliveries: 30,
          events: 20,
          interactions: 6,
          rebuild: 40,
          periods: 2,
          rows: 9,
          bytes: 300,
        });
        const compact = (cut: number) =>
          Effect.provideService(
            Effect.andThen(retention.compact("deliveries", cut), retention.compact("events", cut - 7 * HOUR)),
            RetentionSizes,
            { rows: 11, environments: 1 },
          );
        const rollUpSlowly = Effect.gen(function* () {
          while (yield* step);
        });
        const histories = fc.sample(anyHistory, { numRuns: runs, seed: 15_112_126 });
        const requests = fc.sample(anyRequest, { numRuns: 2000, seed: 62_111_251 })[Symbol.iterator]();
        const cuts = fc.sample(fc.integer({ min: -30 * 96, max: 2 * 96 }), {
          numRuns: runs,
          seed: 1_502_111,
        });
        let compacted = 0;
        for (const [number, history] of histories.entries()) {
          let zone = zones[number % zones.length] ?? "UTC";
          const tenant = yield* waypost.tenant({ timezone: zone });
          const { workspaceId } = yield* Effect.orDie(workspaces.find(tenant.workspace.id));
          const mine = sql`workspace_id = ${workspaceId}`;
          const ids = yield* record(workspaceId, "sandbox", history);
          const cut = Date.UTC(2026, 10, 21) + (cuts[number] ?? 0) * (HOUR / 4);

          // Two of three events from the cut on are set aside: they come later.
          const isLater = (occurredAt: number) => occurredAt >= cut && occurredAt % 3 !== 0;
          yield* sql`CREATE TABLE IF NOT EXISTS later_event (LIKE geofence_event)`;
          const later = sql`${mine} AND occurred_at >= ${new Date(cut)}
            AND (extract(epoch FROM occurred_at AT TIME ZONE 'UTC') * 1000)::int8 % 3 <> 0`;
          yield* sql`INSERT INTO later_event SELECT * FROM geofence_event WHERE ${later}`;
          yield* sql`DELETE FROM geofence_event WHERE ${later}`;
          yield* sql`DELETE FROM event_delta WHERE ${mine}`;
          yield* sql`DELETE FROM rollup_state WHERE ${mine}`;
          let events = history.events.filter(({ occurredAt }) => !isLater(occurredAt));

          const verify = Effect.fnUntraced(function* (moment: string, count = 2) {
            const oracle = new ReportOracle({ ...history, events }, ids, zone, testStart);
            for (let index = 0; index < count; index++) {
              const drawn = requests.next().value as ReportRequest;
              const request = index % 2 === 0 ? drawn : { ...drawn, sent: [] };
              for (const report of [
                "summary",
                "campaigns",
                "locations",
                "notifications",
                "interactions",
              ] as const) {
                const query = queryOf(request, ids, statuses[report]);
                const search = new URLSearchParams(query).toString();
                const { body } = yield* tenant.sandbox(`/reports/${report}?${search}`);
                const meta = { start: query.start, end: query.end, timezone: zone };
                const about = `history ${number}, ${moment} in ${zone}: ${report}?${search}`;
                assert.deepStrictEqual(body, { data: oracle[report](query), meta }, about);
              }
            }
          });
          const moveTo = Effect.fnUntraced(function* (index: number) {
            zone = zones[index % zones.length] ?? "UTC";
            yield* Effect.orDie(
              workspaces.update(tenant.workspace.id, ParsedBody.of({ timezone: zone as never })),
            );
          });

          assert.strictEqual(yield* compact(cut), 0, "rows that are not rolled up are not compacted");
          yield* rollUpSlowly;
          yield* compact(cut);
          const [left] = yield* sql<{
            readonly settled: number;
            readonly exits: number;
            readonly compacted: number;
          }>`
            SELECT (SELECT count(*)::int FROM delivery WHERE ${mine}
              AND settled_at < ${new Date(cut)}) AS settled,
              (SELECT count(*)::int FROM geofence_event
               WHERE ${mine} AND type = 'exit' AND occurred_at < ${new Date(cut - 7 * HOUR)}) AS exits,
              (SELECT COALESCE(sum(cardinality(device_keys)), 0)::int FROM compacted_event
               WHERE ${mine}) AS compacted`;
          assert.deepInclude(left, { settled: 0, exits: 0 });
          compacted += left?.compacted ?? 0;
          yield* verify("compacted", 3);
          yield* writeEvents(sql`INSERT INTO geofence_event SELECT * FROM later_event WHERE ${mine}`);
          events = [...history.events];
          yield* verify("more events pending");
          yield* rollUpSlowly;
          yield* verify("more events rolled up");

          yield* moveTo(number + 1);
          yield* verify("another zone, nothing rolled up");
          yield* step;
          yield* step;
          yield* verify("another zone, some rolled up", 1);
          yield* rollUpSlowly;
          yield* verify("another zone, rolled up");

          yield* compact(cut + 40 * HOUR);
          yield* verify("more is compacted");
          yield* assertRebuildIsSame(workspaceId, `history ${number}, more is compacted`);
          yield* compact(testStart + 90 * 24 * HOUR);
          yield* verify("all is compacted");
          yield* moveTo(number + 2);
          yield* verify("all is compacted, a third zone", 1);
          yield* rollUpSlowly;
          yield* verify("all is compacted, a third zone, rolled up");
        }
        assert.isAtLeast(compacted, cases(5) * 20);
      }),
  );
});
