import { assert, layer } from "@effect/vitest";
import { Effect } from "effect";
import { SqlClient } from "effect/sql";
import { TestClock } from "effect/testing";
import { Workspaces } from "../../../src/workspaces/Workspaces.ts";
import { testStart, TestWaypost } from "../../TestWaypost.ts";
import { record } from "../RecordedHistory.ts";
import { campaign, delivery, devices, event, locations, notification } from "../ReportHistory.ts";
import { assertRebuildIsSame, rollUp } from "./StoredRollups.ts";
import { writeDeliveries, writeEvents } from "../../SourceRows.ts";

const day = 86_400_000;

/** Instants within October and November and at their edges, by the days of Kolkata. */
const instants = [
  "2026-08-30T12:00:00Z",
  "2026-09-30T18:29:59Z",
  "2026-09-30T18:30:00Z",
  "2026-10-12T08:00:00Z",
  "2026-10-31T18:29:59Z",
  "2026-10-31T18:30:00Z",
  "2026-11-20T08:00:00Z",
].map((text) => Date.parse(text));

const ranges = [
  "start=2026-09-01&end=2026-11-30",
  "start=2026-10-01&end=2026-10-31",
  "start=2026-09-30&end=2026-12-01",
  "start=2026-10-02&end=2026-11-29",
];

layer(TestWaypost.layer)("Months of rollups", (it) => {
  it.effect("a past month has rollups of its own, and late rows are added to them", () =>
    Effect.gen(function* () {
      const waypost = yield* TestWaypost;
      const workspaces = yield* Workspaces;
      const sql = yield* SqlClient.SqlClient;
      const tenant = yield* waypost.tenant({ timezone: "Asia/Kolkata" });
      const { workspaceId } = yield* Effect.orDie(workspaces.find(tenant.workspace.id));
      const mine = sql`workspace_id = ${workspaceId}`;
      yield* record(workspaceId, "sandbox", {
        devices: devices(4),
        locations: locations(3),
        notifications: [notification("Hello")],
        campaigns: [campaign("Autumn", { notifications: [{ notification: 0, trigger: "on_enter" }] })],
        deliveries: instants.flatMap((settledAt, index) => [
          delivery(0, index % 3, { settledAt }),
          delivery(0, 3, { settledAt, status: "failed" }),
        ]),
        events: instants.flatMap((occurredAt, index) => [
          event(index % 3, index % 4, { type: "enter", occurredAt }),
          event(index % 3, index % 4, { type: "exit", occurredAt: occurredAt + 1000 }),
        ]),
      });
      const months = Effect.map(
        sql<{ readonly month: string }>`
          SELECT DISTINCT starts_on::text AS month FROM delivery_rollup WHERE ${mine} AND span = 'month'
          INTERSECT SELECT DISTINCT starts_on::text FROM event_rollup WHERE ${mine} AND span = 'month'
          ORDER BY 1`,
        (rows) => rows.map(({ month }) => month),
      );
      const read = Effect.forEach(["summary", "campaigns", "locations", "notifications"], (report) =>
        Effect.forEach(ranges, (range) =>
          Effect.map(tenant.sandbox(`/reports/${report}?${range}`), ({ body }) => body.data),
        ),
      );
      const verify = Effect.gen(function* () {
        const rolledUp = yield* read;
        // Rollups of another time zone are not read: the reports count source rows.
        yield* sql`UPDATE rollup_state SET timezone = 'none' WHERE ${mine}`;
        const counted = yield* read;
        yield* sql`UPDATE rollup_state SET timezone = 'Asia/Kolkata' WHERE ${mine}`;
        assert.deepStrictEqual(rolledUp, counted);
      });
      let additions = 0;
      /** Writes all rows once more, some minutes earlier, the deliveries for one device. */
      const addLateRows = Effect.gen(function* () {
        const earlier = `${7 + additions} minutes`;
        const firstSource = 1_000_000 * ++additions;
        yield* writeDeliveries(sql`
          INSERT INTO delivery
          SELECT (jsonb_populate_record(d, jsonb_build_object('source_id', source_id + ${firstSource}::int,
            'device_key', 4, 'settled_at', settled_at - ${earlier}::text::interval,
            'created_at', created_at - ${earlier}::text::interval))).*
          FROM delivery d WHERE ${mine} AND source_id < 1000000 AND status = 'failed'`);
        yield* writeEvents(sql`
          INSERT INTO geofence_event (workspace_id, environment, device_key, id, type, location_key,
            occurred_at, received_at)
          SELECT workspace_id, environment, device_key, gen_random_uuid(), type, location_key,
            occurred_at - ${earlier}::text::interval, received_at
          FROM geofence_event WHERE ${mine}`);
      });

      yield* rollUp;
      assert.deepStrictEqual(yield* months, ["2026-08-01", "2026-09-01", "2026-10-01"]);
      yield* verify;
      yield* addLateRows;
      yield* verify;
      yield* rollUp;
      yield* verify;
      // November has ended in Kolkata, but not in every time zone.
      yield* TestClock.setTime(Date.parse("2026-12-01T11:59:59Z"));
      yield* rollUp;
      assert.notInclude(yield* months, "2026-11-01");
      yield* verify;
      yield* TestClock.setTime(Date.parse("2026-12-01T12:00:00Z"));
      yield* rollUp;
      assert.deepStrictEqual((yield* months).at(-1), "2026-11-01");
      yield* verify;
      yield* addLateRows.pipe(Effect.andThen(rollUp));
      yield* verify;
      assert.isAbove(yield* assertRebuildIsSame(workspaceId, "days and months"), 50);
      yield* verify;
      yield* TestClock.setTime(testStart + 30 * day);
    }),
  );
});
