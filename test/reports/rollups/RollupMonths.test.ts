import { assert, layer } from "@effect/vitest";
import { Effect } from "effect";
import { SqlClient } from "effect/sql";
import { TestClock } from "effect/testing";
import { Rollups } from "../../../src/reports/rollups/Rollups.ts";
import { Workspaces } from "../../../src/workspaces/Workspaces.ts";
import { testStart, TestWaypost } from "../../TestWaypost.ts";
import { record } from "../RecordedHistory.ts";
import { campaign, delivery, devices, event, locations, notification } from "../ReportHistory.ts";

const day = 86_400_000;

layer(TestWaypost.layer)("Months of rollups", (it) => {
  it.effect("are added up when they are over, and what comes late is added to them", () =>
    Effect.gen(function* () {
      const waypost = yield* TestWaypost;
      const workspaces = yield* Workspaces;
      const sql = yield* SqlClient.SqlClient;
      const rollups = yield* Rollups;
      const tenant = yield* waypost.tenant({ timezone: "Asia/Kolkata" });
      const { workspaceId } = yield* Effect.orDie(workspaces.find(tenant.workspace.id));
      const mine = sql`workspace_id = ${workspaceId}`;
      // At the edges of October and November by the zone's days, and within.
      const instants = [
        "2026-08-30T12:00:00Z",
        "2026-09-30T18:29:59Z",
        "2026-09-30T18:30:00Z",
        "2026-10-12T08:00:00Z",
        "2026-10-31T18:29:59Z",
        "2026-10-31T18:30:00Z",
        "2026-11-20T08:00:00Z",
      ].map((text) => Date.parse(text));
      yield* record(workspaceId, "sandbox", {
        devices: devices(4),
        locations: locations(3),
        notifications: [notification("Hello")],
        campaigns: [campaign("Autumn", { notifications: [{ notification: 0, trigger: "on_enter" }] })],
        deliveries: instants.flatMap((settledAt, place) => [
          delivery(0, place % 3, { settledAt }),
          delivery(0, 3, { settledAt, status: "failed" }),
        ]),
        events: instants.flatMap((occurredAt, place) => [
          event(place % 3, place % 4, { type: "enter", occurredAt }),
          event(place % 3, place % 4, { type: "exit", occurredAt: occurredAt + 1000 }),
        ]),
      });
      const rollup = Effect.gen(function* () {
        while (yield* rollups.step);
      });
      const months = Effect.map(
        sql<{ readonly month: string }>`
          SELECT DISTINCT starts_on::text AS month FROM delivery_rollup WHERE ${mine} AND span = 'month'
          INTERSECT SELECT DISTINCT starts_on::text FROM event_rollup WHERE ${mine} AND span = 'month' ORDER BY 1`,
        (rows) => rows.map(({ month }) => month),
      );
      const ranges = [
        "start=2026-09-01&end=2026-11-30",
        "start=2026-10-01&end=2026-10-31",
        "start=2026-09-30&end=2026-12-01",
        "start=2026-10-02&end=2026-11-29",
      ];
      const read = Effect.forEach(["summary", "campaigns", "locations", "notifications"], (report) =>
        Effect.forEach(ranges, (range) =>
          Effect.map(tenant.sandbox(`/reports/${report}?${range}`), ({ body }) => body.data),
        ),
      );
      const verify = Effect.gen(function* () {
        const rolledUp = yield* read;
        yield* sql`UPDATE rollup_state SET timezone = 'none' WHERE ${mine}`;
        const plain = yield* read;
        yield* sql`UPDATE rollup_state SET timezone = 'Asia/Kolkata' WHERE ${mine}`;
        assert.deepStrictEqual(rolledUp, plain);
      });
      let comes = 0;
      /** Everything again some minutes earlier, the deliveries by one device. */
      const late = Effect.gen(function* () {
        const earlier = `${7 + comes} minutes`;
        const first = 1_000_000 * ++comes;
        yield* sql`
          INSERT INTO delivery
          SELECT (jsonb_populate_record(d, jsonb_build_object('source_id', source_id + ${first}::int, 'device_key', 4,
            'settled_at', settled_at - ${earlier}::text::interval, 'created_at', created_at - ${earlier}::text::interval))).*
          FROM delivery d WHERE ${mine} AND source_id < 1000000 AND status = 'failed'`;
        yield* sql`
          INSERT INTO geofence_event (workspace_id, environment, device_key, id, type, location_key, occurred_at, received_at)
          SELECT workspace_id, environment, device_key, gen_random_uuid(), type, location_key, occurred_at - ${earlier}::text::interval, received_at
          FROM geofence_event WHERE ${mine}`;
      });

      yield* rollup;
      assert.deepStrictEqual(yield* months, ["2026-08-01", "2026-09-01", "2026-10-01"]);
      yield* verify;
      yield* late;
      yield* verify;
      yield* rollup;
      yield* verify;
      // Over in Kolkata, but not everywhere.
      yield* TestClock.setTime(Date.parse("2026-12-01T11:59:59Z"));
      yield* rollup;
      assert.notInclude(yield* months, "2026-11-01");
      yield* verify;
      yield* TestClock.setTime(Date.parse("2026-12-01T12:00:00Z"));
      yield* rollup;
      assert.deepStrictEqual((yield* months).at(-1), "2026-11-01");
      yield* verify;
      yield* late.pipe(Effect.andThen(rollup));
      yield* verify;
      yield* TestClock.setTime(testStart + 30 * day);
    }),
  );
});
