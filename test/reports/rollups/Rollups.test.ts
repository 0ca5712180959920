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
import { RollupSizes } from "../../../src/reports/rollups/RollupSizes.ts";
import { ParsedBody } from "../../../src/wire/ParsedBody.ts";
import { Workspaces } from "../../../src/workspaces/Workspaces.ts";
import { testStart, TestWaypost } from "../../TestWaypost.ts";
import { asked, history, sparse, zones } from "../AnyHistory.ts";
import { record } from "../RecordedHistory.ts";
import { campaign, delivery, devices, locations, type ReportHistory } from "../ReportHistory.ts";
import { ReportOracle } from "../ReportOracle.ts";

const rowReports = {
  campaigns: campaignRowStatuses,
  locations: locationRowStatuses,
  notifications: notificationRowStatuses,
} as const;

/** In which of three parts a row of a history comes; late events and deliveries of any day are in each. */
const partOf = (number: number): number => ((number % 3) + 3) % 3;

/** Takes the activity of a tenant aside, as if nothing had happened yet; then `bring` lets a part of it happen. */
const setAside = Effect.fnUntraced(function* (workspaceId: number) {
  const sql = yield* SqlClient.SqlClient;
  const mine = sql`workspace_id = ${workspaceId}`;
  yield* sql`CREATE TABLE IF NOT EXISTS aside_delivery (LIKE delivery)`;
  yield* sql`CREATE TABLE IF NOT EXISTS aside_event (LIKE geofence_event)`;
  yield* sql`INSERT INTO aside_delivery SELECT * FROM delivery WHERE ${mine}`;
  yield* sql`INSERT INTO aside_event SELECT * FROM geofence_event WHERE ${mine}`;
  for (const table of ["delivery", "geofence_event", "delivery_delta", "event_delta", "rollup_state"]) {
    yield* sql`DELETE FROM ${sql(table)} WHERE ${mine}`;
  }
  return Effect.fnUntraced(function* (part: number) {
    const deliveries = sql`${mine} AND (source_id - 1) % 3 = ${part}`;
    // Statements of several sizes; those of the last part are settled only afterwards, all in one statement.
    if (part === 2) {
      yield* sql`
        INSERT INTO delivery SELECT (jsonb_populate_record(d, '{"status": "queued", "settled_at": null}')).* FROM aside_delivery d
        WHERE ${deliveries}`;
      yield* sql`
        UPDATE delivery SET status = a.status, settled_at = a.settled_at FROM aside_delivery a
        WHERE a.workspace_id = ${workspaceId} AND delivery.workspace_id = a.workspace_id
          AND delivery.environment = a.environment AND delivery.source_id = a.source_id AND delivery.device_key = a.device_key
          AND (a.source_id - 1) % 3 = ${part}`;
      yield* sql`UPDATE delivery SET opened_at = settled_at WHERE ${deliveries}`;
    } else {
      for (let chunk = 0; chunk < 4; chunk++) {
        yield* sql`INSERT INTO delivery SELECT * FROM aside_delivery WHERE ${deliveries} AND source_id % 4 = ${chunk}`;
      }
    }
    yield* sql`
      INSERT INTO geofence_event SELECT * FROM aside_event
      WHERE ${mine} AND ((extract(epoch FROM occurred_at) * 1000)::int8 % 3 + 3) % 3 = ${part}`;
  }, Effect.orDie);
}, Effect.orDie);

layer(TestWaypost.layer)("Rolled-up reports", (it) => {
  const runs = 4;
  it.effect(
    "say what a plain reading says, at any moment: nothing, some and all rolled up, more coming in, another time zone (K1, K2, K3, K4, K5, K6, K7, K8.1)",
    () =>
      Effect.gen(function* () {
        const waypost = yield* TestWaypost;
        const workspaces = yield* Workspaces;
        const sql = yield* SqlClient.SqlClient;
        const rollups = yield* Rollups;
        // Little at once, so that rollups are caught half done.
        const step = Effect.provideService(rollups.step, RollupSizes, {
          deliveries: 7,
          events: 5,
          rebuild: 6,
          periods: 2,
          rows: 9,
          bytes: 200,
        });
        const histories = fc.sample(history, { numRuns: runs, seed: 25_141_121 });
        const requests = fc.sample(sparse, { numRuns: 2000, seed: 14_112_025 })[Symbol.iterator]();
        let answered = 0;
        for (const [number, past] of histories.entries()) {
          let zone = zones[number % zones.length] ?? "UTC";
          const tenant = yield* waypost.tenant({ timezone: zone });
          const { workspaceId } = yield* Effect.orDie(workspaces.find(tenant.workspace.id));
          const ids = yield* record(workspaceId, "sandbox", past);
          const bring = yield* setAside(workspaceId);
          const parts = new Set<number>();
          let moment = "";

          const verify = Effect.fnUntraced(function* (asks = 2) {
            const so_far: ReportHistory = {
              ...past,
              deliveries: past.deliveries.filter((_, place) => parts.has(partOf(place))),
              events: past.events.filter(({ occurredAt }) => parts.has(partOf(occurredAt))),
            };
            const oracle = new ReportOracle(so_far, ids, zone, testStart);
            for (let ask = 0; ask < asks; ask++) {
              const one = requests.next().value as typeof sparse extends fc.Arbitrary<infer A> ? A : never;
              // Every other request has no filters, for those are read from sums of their own.
              const given = ask % 2 === 0 ? one : { ...one, kept: [] };
              for (const report of ["summary", "campaigns", "locations", "notifications"] as const) {
                const query = asked(
                  given,
                  ids,
                  report === "summary" ? campaignRowStatuses : rowReports[report],
                );
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
              sql<{ readonly fed: boolean }>`
              SELECT rolled_up_from = '-infinity' AND timezone = ${zone} AS fed FROM rollup_state WHERE workspace_id = ${workspaceId}`,
              ([row]) => row?.fed === true,
            ),
          );
          /** Some steps, with the answers between them held against the reading; then all that is left. */
          const rollup = Effect.fnUntraced(function* (name: string, looks: number) {
            for (let taken = 0; taken < looks; taken++) {
              for (let at = 0; at <= taken * 3; at++) yield* step;
              moment = `${name}, after look ${taken}`;
              yield* verify(1);
            }
            let taken = 0;
            while ((yield* step) && taken < 500) taken++;
            moment = `${name}, done`;
            assert.isTrue(yield* isComplete, moment);
            const [left] = yield* sql<{ readonly rows: number }>`
              SELECT ((SELECT count(*) FROM delivery_delta WHERE workspace_id = ${workspaceId})
                + (SELECT count(*) FROM event_delta WHERE workspace_id = ${workspaceId}))::int AS rows`;
            assert.strictEqual(left?.rows, 0, moment);
            yield* verify();
          });

          parts.add(0);
          yield* bring(0);
          moment = "nothing rolled up";
          yield* verify();
          yield* rollup("the first part", 4);
          parts.add(1);
          yield* bring(1);
          moment = "the second part in the feed";
          assert.isTrue(yield* isComplete);
          yield* verify(3);
          yield* rollup("the second part", 2);
          const bringTheRest = Effect.gen(function* () {
            parts.add(2);
            yield* bring(2);
            moment = "the third part in the feed";
            yield* verify(3);
          });
          const isLate = number % 2 === 1;
          if (!isLate) yield* bringTheRest;
          zone = zones[(number + 1) % zones.length] ?? "UTC";
          yield* Effect.orDie(
            workspaces.update(tenant.workspace.id, ParsedBody.of({ timezone: zone as never })),
          );
          moment = "another zone";
          yield* verify(1);
          // What comes while rollups are made anew counts once, before and behind where they have come to.
          if (isLate) {
            for (let taken = 0; taken < 6; taken++) yield* step;
            yield* bringTheRest;
          }
          yield* rollup("another zone", 3);
        }
        assert.isAtLeast(answered, runs * 60);
      }),
  );

  it.effect(
    "count a delivery as soon as it is written, while others write and several processes roll up",
    () =>
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
            for (let at = 0; at < 12; at++) {
              // Older and older: no order of time or of commits is there to rely on.
              const when = new Date(testStart - (at * 37 + device) * 3_600_000);
              yield* sql.withTransaction(
                Effect.gen(function* () {
                  yield* sql`
                  INSERT INTO delivery (workspace_id, environment, source_id, device_key, campaign_key, notification_key, content_key,
                    content_type, trigger_type, transport, status, created_at, settled_at)
                  SELECT ${workspaceId}, 'sandbox', ${device * 1000 + at}, ${device} + g, 1, 1, 1, 'message', 'fixed_time', 'inbox',
                    'delivered', ${when}, ${when} FROM generate_series(0, 2) AS g`;
                  yield* sql`
                  INSERT INTO geofence_event (workspace_id, environment, device_key, id, type, location_key, occurred_at, received_at)
                  SELECT ${workspaceId}, 'sandbox', ${device}, gen_random_uuid(), t, ${key}, ${when}, ${when}
                  FROM unnest(ARRAY['enter', 'exit']) AS t`;
                  yield* Effect.yieldNow;
                }),
              );
              written++;
              const least = written;
              const { body } = yield* tenant.sandbox("/reports/summary");
              assert.isAtLeast(body.data.totals.delivered, 3 * least);
              assert.isAtLeast(body.data.totals.geofence_entries, least);
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
        while (yield* step);
        const rolledUp = yield* reports;
        assert.strictEqual(rolledUp[0].data.totals.delivered, 3 * 48);
        assert.strictEqual(rolledUp[0].data.totals.devices_reached, 12);
        // Without a state base rows answer: the same, the dwell of the late events included.
        yield* sql`DELETE FROM rollup_state WHERE workspace_id = ${workspaceId}`;
        assert.deepStrictEqual(rolledUp, yield* reports);
      }),
  );

  it.effect("count anew what somebody changed by hand after it was counted", () =>
    Effect.gen(function* () {
      const waypost = yield* TestWaypost;
      const workspaces = yield* Workspaces;
      const sql = yield* SqlClient.SqlClient;
      const { step } = yield* Rollups;
      const tenant = yield* waypost.tenant();
      const { workspaceId } = yield* Effect.orDie(workspaces.find(tenant.workspace.id));
      yield* record(workspaceId, "sandbox", {
        devices: devices(2),
        campaigns: [campaign("One")],
        deliveries: [delivery(0, 0), delivery(0, 0), delivery(0, 1)],
      });
      const totals = Effect.map(tenant.sandbox("/reports/summary"), ({ body }) => body.data.totals);
      const mine = sql`workspace_id = ${workspaceId}`;
      const changes = [
        {
          change: sql`UPDATE delivery SET status = 'failed' WHERE ${mine} AND source_id = 1`,
          delivered: 2,
          reached: 2,
        },
        {
          change: sql`UPDATE delivery SET device_key = 2 WHERE ${mine} AND source_id = 2`,
          delivered: 2,
          reached: 1,
        },
        {
          change: sql`UPDATE delivery SET status = 'queued', settled_at = NULL WHERE ${mine} AND source_id = 3`,
          delivered: 1,
          reached: 1,
        },
        // Out of the range of the report.
        {
          change: sql`UPDATE delivery SET settled_at = settled_at - interval '90 days' WHERE ${mine} AND source_id = 2`,
          delivered: 0,
          reached: 0,
        },
      ];
      for (const [place, { change, delivered, reached }] of changes.entries()) {
        // What was changed is sometimes still in the feed.
        if (place % 2 === 0) while (yield* step);
        yield* change;
        const expected = { delivered, devices_reached: reached };
        assert.deepInclude(yield* totals, expected);
        while (yield* step);
        assert.deepInclude(yield* totals, expected);
      }
    }),
  );
});
