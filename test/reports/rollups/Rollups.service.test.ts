import { assert, layer } from "@effect/vitest";
import { Effect } from "effect";
import { SqlClient } from "effect/sql";
import fc from "fast-check";
import {
  campaignRowStatuses,
  locationRowStatuses,
  notificationRowStatuses,
} from "../../../src/reports/Report.ts";
import { Rollups } from "../../../src/reports/rollups/Rollups.ts";
import { RollupStatus } from "../../../src/reports/rollups/RollupStatus.ts";
import { RollupSizes } from "../../../src/reports/rollups/RollupSizes.ts";
import { ParsedBody } from "../../../src/wire/ParsedBody.ts";
import { Workspaces } from "../../../src/workspaces/Workspaces.ts";
import { isOnCitus } from "../../database/OnCitus.ts";
import { testStart, TestWaypost } from "../../TestWaypost.ts";
import { anyHistory, anyRequest, queryOf, type ReportRequest, zones } from "../AnyHistory.ts";
import { record } from "../RecordedHistory.ts";
import { campaign, delivery, devices, locations, type ReportHistory } from "../ReportHistory.ts";
import { ReportOracle } from "../ReportOracle.ts";
import { partOf, setAside } from "./HistoryParts.ts";
import { assertRebuildIsSame, rollUp } from "./StoredRollups.ts";
import { writeDeliveries, writeEvents } from "../../SourceRows.ts";
import { cases } from "../../FixedSeed.ts";

const rowReports = {
  campaigns: campaignRowStatuses,
  locations: locationRowStatuses,
  notifications: notificationRowStatuses,
  interactions: notificationRowStatuses,
} as const;

const rebuildAll = Effect.flatMap(RollupStatus, (status) => status.rebuildAll);

layer(TestWaypost.layer)("Rolled-up reports", (it) => {
  const runs = cases(4);
  it.effect(
    "reports follow the rules with nothing, some or all rolled up (K1, K2, K3, K4, K5, K6, K7, K8.1, M2)",
    () =>
      Effect.gen(function* () {
        const waypost = yield* TestWaypost;
        const workspaces = yield* Workspaces;
        const sql = yield* SqlClient.SqlClient;
        const rollups = yield* Rollups;
        // Little at a time, so that reports are read between many steps.
        const step = Effect.provideService(rollups.step, RollupSizes, {
          deliveries: 7,
          events: 5,
          interactions: 6,
          rebuild: 6,
          periods: 2,
          rows: 9,
          bytes: 200,
        });
        const histories = fc.sample(anyHistory, { numRuns: runs, seed: 25_141_121 });
        const requests = fc.sample(anyRequest, { numRuns: 2000, seed: 14_112_025 })[Symbol.iterator]();
        let answered = 0;
        for (const [number, history] of histories.entries()) {
          let zone = zones[number % zones.length] ?? "UTC";
          const tenant = yield* waypost.tenant({ timezone: zone });
          const { workspaceId } = yield* Effect.orDie(workspaces.find(tenant.workspace.id));
          const ids = yield* record(workspaceId, "sandbox", history);
          const insertPart = yield* setAside(workspaceId);
          const parts = new Set<number>();
          let moment = "";

          const verify = Effect.fnUntraced(function* (count = 2) {
            const past: ReportHistory = {
              ...history,
              deliveries: history.deliveries.filter((_, index) => parts.has(partOf(index))),
              events: history.events.filter(({ occurredAt }) => parts.has(partOf(occurredAt))),
            };
            const oracle = new ReportOracle(past, ids, zone, testStart);
            for (let index = 0; index < count; index++) {
              const drawn = requests.next().value as ReportRequest;
              // Every other request has no filters: its rollups are the totals over all campaigns and
              // locations.
              const request = index % 2 === 0 ? drawn : { ...drawn, sent: [] };
              for (const report of [
                "summary",
                "campaigns",
                "locations",
                "notifications",
                "interactions",
              ] as const) {
                const statuses = report === "summary" ? campaignRowStatuses : rowReports[report];
                const query = queryOf(request, ids, statuses);
                const search = new URLSearchParams(query).toString();
                const { body } = yield* tenant.sandbox(`/reports/${report}?${search}`);
                const meta = { start: query.start, end: query.end, timezone: zone };
                const about = `history ${number}, ${moment} in ${zone}: ${report}?${search}`;
                assert.deepStrictEqual(body, { data: oracle[report](query), meta }, about);
                answered++;
              }
            }
          });
          const isComplete = Effect.suspend(() =>
            Effect.map(
              sql<{ readonly isComplete: boolean }>`
                SELECT rolled_up_from = '-infinity' AND timezone = ${zone} AS "isComplete"
                FROM rollup_state WHERE workspace_id = ${workspaceId}`,
              ([row]) => row?.isComplete === true,
            ),
          );
          /**
           * Verifies the reports between steps, more and more of them; then takes the steps that are left.
           */
          const rollUpSlowly = Effect.fnUntraced(function* (name: string, checks: number) {
            for (let check = 0; check < checks; check++) {
              for (let steps = 0; steps <= check * 3; steps++) yield* step;
              moment = `${name}, check ${check}`;
              yield* verify(1);
            }
            let steps = 0;
            while ((yield* step) && steps < 500) steps++;
            moment = `${name}, rolled up`;
            assert.isTrue(yield* isComplete, moment);
            const [left] = yield* sql<{ readonly deltas: number }>`
              SELECT ((SELECT count(*) FROM delivery_delta WHERE workspace_id = ${workspaceId})
                + (SELECT count(*) FROM event_delta WHERE workspace_id = ${workspaceId})
                + (SELECT count(*) FROM interaction_delta WHERE workspace_id = ${workspaceId}))::int
                AS deltas`;
            assert.strictEqual(left?.deltas, 0, moment);
            yield* verify();
          });

          parts.add(0);
          yield* insertPart(0);
          moment = "nothing rolled up";
          yield* verify();
          yield* rollUpSlowly("the first part", 4);
          parts.add(1);
          yield* insertPart(1);
          moment = "the second part pending";
          assert.isTrue(yield* isComplete);
          yield* verify(3);
          yield* rollUpSlowly("the second part", 2);
          assert.isAbove(yield* assertRebuildIsSame(workspaceId, `history ${number}`), 50);
          const insertLastPart = Effect.gen(function* () {
            parts.add(2);
            yield* insertPart(2);
            moment = "the third part pending";
            yield* verify(3);
          });
          const isLate = number % 2 === 1;
          if (!isLate) yield* insertLastPart;
          zone = zones[(number + 1) % zones.length] ?? "UTC";
          yield* Effect.orDie(
            workspaces.update(tenant.workspace.id, ParsedBody.of({ timezone: zone as never })),
          );
          moment = "another zone";
          yield* verify(1);
          // Rows that come during a rebuild count once, in rebuilt days and in others.
          if (isLate) {
            for (let steps = 0; steps < 3; steps++) yield* step;
            yield* insertLastPart;
          }
          yield* rollUpSlowly("another zone", 3);
        }
        assert.isAtLeast(answered, runs * 60);
      }),
  );

  it.effect("a delivery counts as soon as it is written, while others write and roll up", () =>
    Effect.gen(function* () {
      const waypost = yield* TestWaypost;
      const workspaces = yield* Workspaces;
      const sql = yield* SqlClient.SqlClient;
      const { step } = yield* Rollups;
      const tenant = yield* waypost.tenant();
      const { workspaceId } = yield* Effect.orDie(workspaces.find(tenant.workspace.id));
      yield* record(workspaceId, "sandbox", { locations: locations(1), devices: devices(50) });
      const [{ key } = { key: 0 }] = yield* sql<{
        readonly key: number;
      }>`SELECT key FROM location WHERE workspace_id = ${workspaceId}`;
      let written = 0;
      const writer = (device: number) =>
        Effect.gen(function* () {
          for (let index = 0; index < 12; index++) {
            // Older and older: neither times nor commits are in order.
            const when = new Date(testStart - (index * 37 + device) * 3_600_000);
            yield* sql.withTransaction(
              Effect.gen(function* () {
                yield* writeDeliveries(sql`
                  INSERT INTO delivery (workspace_id, environment, source_id, device_key, campaign_key,
                    notification_key, content_key, content_type, trigger_type, transport, status, created_at,
                    settled_at)
                  SELECT ${workspaceId}, 'sandbox', ${device * 1000 + index}, ${device} + g, 1, 1, 1,
                    'message',
                    'fixed_time', 'inbox', 'delivered', ${when}, ${when} FROM generate_series(0, 2) AS g`);
                yield* writeEvents(sql`
                  INSERT INTO geofence_event (workspace_id, environment, device_key, id, type, location_key,
                    occurred_at, received_at)
                  SELECT ${workspaceId}, 'sandbox', ${device}, gen_random_uuid(), t, ${key}, ${when}, ${when}
                  FROM unnest(ARRAY['enter', 'exit']) AS t`);
                yield* Effect.yieldNow;
              }),
            );
            written++;
            const min = written;
            const { body } = yield* tenant.sandbox("/reports/summary");
            assert.isAtLeast(body.data.totals.delivered, 3 * min);
            assert.isAtLeast(body.data.totals.geofence_entries, min);
          }
        });
      const roller = Effect.gen(function* () {
        while (written < 48) {
          yield* step;
          yield* Effect.yieldNow;
        }
      });
      yield* Effect.all([...[1, 2, 3, 4].map((each) => writer(each * 10)), roller, roller], {
        concurrency: "unbounded",
      });
      const reports = Effect.forEach(
        ["/reports/summary", "/reports/campaigns", "/reports/locations", "/reports/notifications"],
        (path) => Effect.map(tenant.sandbox(path), ({ body }) => body),
      );
      yield* rollUp;
      const rolledUp = yield* reports;
      assert.strictEqual(rolledUp[0].data.totals.delivered, 3 * 48);
      assert.strictEqual(rolledUp[0].data.totals.devices_reached, 12);
      // Without rollups the reports count source rows: the same, with the dwell of late events.
      yield* sql`DELETE FROM rollup_state WHERE workspace_id = ${workspaceId}`;
      assert.deepStrictEqual(rolledUp, yield* reports);
    }),
  );

  it.effect("a change of settled deliveries by hand invalidates rollups and shows in reports at once", () =>
    Effect.gen(function* () {
      const waypost = yield* TestWaypost;
      const workspaces = yield* Workspaces;
      const sql = yield* SqlClient.SqlClient;
      const tenant = yield* waypost.tenant();
      const { workspaceId } = yield* Effect.orDie(workspaces.find(tenant.workspace.id));
      yield* record(workspaceId, "sandbox", {
        devices: devices(2),
        campaigns: [campaign("One")],
        deliveries: [delivery(0, 0), delivery(0, 0), delivery(0, 1)],
      });
      const totals = Effect.map(tenant.sandbox("/reports/summary"), ({ body }) => body.data.totals);
      const change = (source: number, to: string) =>
        sql`
          UPDATE delivery SET ${sql.literal(to)} WHERE workspace_id = ${workspaceId}
            AND source_id = ${source}`;
      const changes = [
        { change: change(1, "status = 'failed'"), delivered: 2, reached: 2 },
        { change: change(2, "device_key = 2"), delivered: 2, reached: 1 },
        { change: change(3, "status = 'queued', settled_at = NULL"), delivered: 1, reached: 1 },
        // Out of the range of the report.
        { change: change(2, "settled_at = '2026-08-01Z'"), delivered: 0, reached: 0 },
      ];
      for (const [index, { change, delivered, reached }] of changes.entries()) {
        // Every other change is of a row with a pending delta.
        if (index % 2 === 0) yield* rollUp;
        yield* change;
        // Triggers notice such changes, and Citus has none.
        if (isOnCitus()) yield* Effect.provide(rebuildAll, RollupStatus.layer);
        const expected = { delivered, devices_reached: reached };
        assert.deepInclude(yield* totals, expected);
        yield* rollUp;
        assert.deepInclude(yield* totals, expected);
      }
    }),
  );
});
