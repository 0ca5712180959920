import { assert, layer } from "@effect/vitest";
import { Effect } from "effect";
import { SqlClient } from "effect/sql";
import fc from "fast-check";
import { Rollups } from "../../../src/reports/rollups/Rollups.ts";
import { RollupSizes } from "../../../src/reports/rollups/RollupSizes.ts";
import { Workspaces } from "../../../src/workspaces/Workspaces.ts";
import { testStart, TestWaypost } from "../../TestWaypost.ts";
import { record } from "../RecordedHistory.ts";
import { devices, locations } from "../ReportHistory.ts";
import { rollUp } from "./StoredRollups.ts";
import { writeEvents } from "../../SourceRows.ts";

layer(TestWaypost.layer)("Rolled-up visits", (it) => {
  it.effect("rolled-up visits pair every entry with its next exit, in whatever order events come (K5)", () =>
    Effect.gen(function* () {
      const waypost = yield* TestWaypost;
      const workspaces = yield* Workspaces;
      const sql = yield* SqlClient.SqlClient;
      const step = Effect.provideService((yield* Rollups).step, RollupSizes, {
        deliveries: 1,
        events: 1,
        interactions: 5,
        rebuild: 3,
        periods: 2,
        rows: 2,
        bytes: 100,
      });
      const tenant = yield* waypost.tenant();
      const { workspaceId } = yield* Effect.orDie(workspaces.find(tenant.workspace.id));
      yield* record(workspaceId, "sandbox", { locations: locations(1), devices: devices(2) });
      const mine = sql`workspace_id = ${workspaceId}`;
      const row = Effect.map(tenant.sandbox("/reports/locations"), ({ body }) => body.data[0]);
      const verify = Effect.gen(function* () {
        const rolledUp = yield* row;
        // Rollups of another time zone are not read: the report counts source rows.
        yield* sql`UPDATE rollup_state SET timezone = 'none' WHERE ${mine}`;
        const counted = yield* row;
        yield* sql`UPDATE rollup_state SET timezone = 'UTC' WHERE ${mine}`;
        assert.deepStrictEqual(rolledUp, counted);
      });
      const minutes = fc.sample(fc.integer({ min: 1, max: 5000 }), { numRuns: 40, seed: 5 });
      for (const [index, minute] of minutes.entries()) {
        const at = new Date(testStart - minute * 60_000);
        const type = index % 3 === 0 ? "exit" : "enter";
        yield* writeEvents(sql`
          INSERT INTO geofence_event (workspace_id, environment, device_key, id, type, location_key,
            occurred_at, received_at)
          SELECT workspace_id, environment, ${1 + (minute % 2)}, gen_random_uuid(), ${type}, key, ${at}, ${at}
          FROM location WHERE ${mine}`);
        if (index === 0) yield* rollUp;
        // Ten events come before some of them are rolled up, one by one.
        if (index % 10 !== 9) continue;
        yield* verify;
        for (let steps = 0; steps < 7; steps++) {
          yield* step;
          yield* verify;
        }
      }
      assert.isNotNull((yield* row).dwell_minutes);
    }),
  );

  it.effect("a step says whether it left deltas, not whether it added some", () =>
    Effect.gen(function* () {
      const waypost = yield* TestWaypost;
      const workspaces = yield* Workspaces;
      const sql = yield* SqlClient.SqlClient;
      const step = Effect.provideService((yield* Rollups).step, RollupSizes, {
        ...RollupSizes.defaultValue(),
        events: 2,
      });
      const tenant = yield* waypost.tenant();
      const { workspaceId } = yield* Effect.orDie(workspaces.find(tenant.workspace.id));
      yield* record(workspaceId, "sandbox", { locations: locations(1), devices: devices(1) });
      yield* rollUp;
      const at = new Date(testStart);
      for (let count = 0; count < 3; count++) {
        yield* writeEvents(sql`
          INSERT INTO geofence_event (workspace_id, environment, device_key, id, type, location_key,
            occurred_at, received_at)
          SELECT workspace_id, environment, 1, gen_random_uuid(), 'enter', key, ${at}, ${at}
          FROM location WHERE workspace_id = ${workspaceId}`);
      }
      const left = Effect.map(
        sql`SELECT FROM event_delta WHERE workspace_id = ${workspaceId}`,
        (rows) => rows.length,
      );
      assert.deepStrictEqual([yield* step, yield* left], [true, 1]);
      assert.deepStrictEqual([yield* step, yield* left], [false, 0]);
    }),
  );
});
