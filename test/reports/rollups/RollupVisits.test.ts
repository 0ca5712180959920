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

layer(TestWaypost.layer)("Rolled-up stays", (it) => {
  it.effect("pair every entry with its next exit, in whatever order events come and are rolled up (K5)", () =>
    Effect.gen(function* () {
      const waypost = yield* TestWaypost;
      const workspaces = yield* Workspaces;
      const sql = yield* SqlClient.SqlClient;
      const step = Effect.provideService((yield* Rollups).step, RollupSizes, {
        deliveries: 1,
        events: 1,
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
        yield* sql`UPDATE rollup_state SET timezone = 'none' WHERE ${mine}`;
        const plain = yield* row;
        yield* sql`UPDATE rollup_state SET timezone = 'UTC' WHERE ${mine}`;
        assert.deepStrictEqual(rolledUp, plain);
      });
      const minutes = fc.sample(fc.integer({ min: 1, max: 5000 }), { numRuns: 40, seed: 5 });
      for (const [place, minute] of minutes.entries()) {
        const at = new Date(testStart - minute * 60_000);
        yield* sql`
          INSERT INTO geofence_event (workspace_id, environment, device_key, id, type, location_key, occurred_at, received_at)
          SELECT workspace_id, environment, ${1 + (minute % 2)}, gen_random_uuid(), ${place % 3 === 0 ? "exit" : "enter"}, key, ${at}, ${at}
          FROM location WHERE ${mine}`;
        if (place === 0) while (yield* step);
        // Ten come in before some are rolled up, one by one.
        if (place % 10 !== 9) continue;
        yield* verify;
        for (let taken = 0; taken < 7; taken++) {
          yield* step;
          yield* verify;
        }
      }
      assert.isNotNull((yield* row).dwell_minutes);
    }),
  );
});
