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
import { asked, history, sparse, zones } from "../AnyHistory.ts";
import { record } from "../RecordedHistory.ts";
import { ReportOracle } from "../ReportOracle.ts";
import { assertRebuildIsSame } from "../rollups/StoredRollups.ts";

const HOUR = 3_600_000;

const statuses = {
  summary: campaignRowStatuses,
  campaigns: campaignRowStatuses,
  locations: locationRowStatuses,
  notifications: notificationRowStatuses,
} as const;

// Nothing works beside the test itself.
layer(TestWaypost.layerWith({ roles: new Set(["api"]) }))("Packed rows", (it) => {
  const runs = 5;
  it.effect(
    "count in every report as they did before, with any filters, in any time zone, and with what comes after them (K1, K2, K3, K4, K5, K6, K7, K8)",
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
          rebuild: 40,
          periods: 2,
          rows: 9,
          bytes: 300,
        });
        const pack = (cut: number) =>
          Effect.provideService(
            Effect.andThen(retention.compact("deliveries", cut), retention.compact("events", cut - 7 * HOUR)),
            RetentionSizes,
            { rows: 11, environments: 1 },
          );
        const rollup = Effect.gen(function* () {
          while (yield* step);
        });
        const histories = fc.sample(history, { numRuns: runs, seed: 15_112_126 });
        const requests = fc.sample(sparse, { numRuns: 2000, seed: 62_111_251 })[Symbol.iterator]();
        const cuts = fc.sample(fc.integer({ min: -30 * 96, max: 2 * 96 }), {
          numRuns: runs,
          seed: 1_502_111,
        });
        let packed = 0;
        for (const [number, past] of histories.entries()) {
          let zone = zones[number % zones.length] ?? "UTC";
          const tenant = yield* waypost.tenant({ timezone: zone });
          const { workspaceId } = yield* Effect.orDie(workspaces.find(tenant.workspace.id));
          const mine = sql`workspace_id = ${workspaceId}`;
          const ids = yield* record(workspaceId, "sandbox", past);
          const cut = Date.UTC(2026, 10, 21) + (cuts[number] ?? 0) * (HOUR / 4);

          // Every third event from the cut on has yet to happen.
          const isLater = (occurredAt: number) => occurredAt >= cut && occurredAt % 3 !== 0;
          yield* sql`CREATE TABLE IF NOT EXISTS later_event (LIKE geofence_event)`;
          yield* sql`
            WITH gone AS (DELETE FROM geofence_event WHERE ${mine} AND occurred_at >= ${new Date(cut)}
              AND (extract(epoch FROM occurred_at) * 1000)::int8 % 3 <> 0 RETURNING *)
            INSERT INTO later_event SELECT * FROM gone`;
          yield* sql`DELETE FROM event_delta WHERE ${mine}`;
          yield* sql`DELETE FROM rollup_state WHERE ${mine}`;
          let events = past.events.filter(({ occurredAt }) => !isLater(occurredAt));

          const verify = Effect.fnUntraced(function* (moment: string, asks = 2) {
            const oracle = new ReportOracle({ ...past, events }, ids, zone, testStart);
            for (let ask = 0; ask < asks; ask++) {
              const one = requests.next().value as typeof sparse extends fc.Arbitrary<infer A> ? A : never;
              const given = ask % 2 === 0 ? one : { ...one, kept: [] };
              for (const report of ["summary", "campaigns", "locations", "notifications"] as const) {
                const query = asked(given, ids, statuses[report]);
                const search = new URLSearchParams(query).toString();
                const { body } = yield* tenant.sandbox(`/reports/${report}?${search}`);
                const meta = { start: query.start, end: query.end, timezone: zone };
                const about = `history ${number}, ${moment} in ${zone}: ${report}?${search}`;
                assert.deepStrictEqual(body, { data: oracle[report](query), meta }, about);
              }
            }
          });
          const moveTo = Effect.fnUntraced(function* (place: number) {
            zone = zones[place % zones.length] ?? "UTC";
            yield* Effect.orDie(
              workspaces.update(tenant.workspace.id, ParsedBody.of({ timezone: zone as never })),
            );
          });

          assert.strictEqual(yield* pack(cut), 0, "what is not rolled up is not packed");
          yield* rollup;
          yield* pack(cut);
          const [left] = yield* sql<{
            readonly settled: number;
            readonly exits: number;
            readonly packed: number;
          }>`
            SELECT (SELECT count(*)::int FROM delivery WHERE ${mine} AND settled_at < ${new Date(cut)}) AS settled,
              (SELECT count(*)::int FROM geofence_event
               WHERE ${mine} AND type = 'exit' AND occurred_at < ${new Date(cut - 7 * HOUR)}) AS exits,
              (SELECT COALESCE(sum(cardinality(device_keys)), 0)::int FROM compacted_event WHERE ${mine}) AS packed`;
          assert.deepInclude(left, { settled: 0, exits: 0 });
          packed += left?.packed ?? 0;
          yield* verify("packed", 3);
          yield* sql`INSERT INTO geofence_event SELECT * FROM later_event WHERE ${mine}`;
          events = [...past.events];
          yield* verify("more in the feed");
          yield* rollup;
          yield* verify("more rolled up");

          yield* moveTo(number + 1);
          yield* verify("another zone, nothing rolled up");
          yield* step;
          yield* step;
          yield* verify("another zone, some rolled up", 1);
          yield* rollup;
          yield* verify("another zone, rolled up");

          yield* pack(cut + 40 * HOUR);
          yield* verify("more is packed");
          yield* assertRebuildIsSame(workspaceId, `history ${number}, more is compacted`);
          yield* pack(testStart + 90 * 24 * HOUR);
          yield* verify("all is packed");
          yield* moveTo(number + 2);
          yield* verify("all is packed, a third zone", 1);
          yield* rollup;
          yield* verify("all is packed, a third zone, rolled up");
        }
        assert.isAtLeast(packed, 100);
      }),
    300_000,
  );
});
