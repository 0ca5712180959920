import { assert, layer } from "@effect/vitest";
import { Effect } from "effect";
import { SqlClient } from "effect/sql";
import { Rollups } from "../../src/reports/rollups/Rollups.ts";
import { Workspaces } from "../../src/workspaces/Workspaces.ts";
import { TestWaypost } from "../TestWaypost.ts";
import { record } from "./RecordedHistory.ts";
import { devices } from "./ReportHistory.ts";

layer(TestWaypost.layer)("Registered devices in reports", (it) => {
  it.effect("are those of now, whatever of their coming and going is added up already (K4)", () =>
    Effect.gen(function* () {
      const waypost = yield* TestWaypost;
      const workspaces = yield* Workspaces;
      const sql = yield* SqlClient.SqlClient;
      const { step } = yield* Rollups;
      const tenant = yield* waypost.tenant();
      const { workspaceId } = yield* Effect.orDie(workspaces.find(tenant.workspace.id));
      yield* record(workspaceId, "sandbox", { devices: devices(5) });
      const mine = sql`workspace_id = ${workspaceId} AND environment = 'sandbox'`;
      const registered = Effect.map(
        tenant.sandbox("/reports/summary"),
        ({ body }) => body.data.totals.registered_devices as number,
      );
      const settle = Effect.gen(function* () {
        while (yield* step);
      });
      assert.strictEqual(yield* registered, 5, "never counted");
      yield* settle;
      assert.strictEqual(yield* registered, 5, "counted");
      yield* sql`UPDATE device SET unregistered_at = registered_at WHERE ${mine} AND key <= 3`;
      assert.strictEqual(yield* registered, 2, "three gone, not added up");
      yield* settle;
      yield* sql`UPDATE device SET unregistered_at = NULL WHERE ${mine} AND key = 1`;
      yield* sql`UPDATE device SET unregistered_at = registered_at WHERE ${mine} AND key = 2`;
      yield* sql`UPDATE device SET last_seen_at = registered_at WHERE ${mine}`;
      assert.strictEqual(yield* registered, 3, "one back, one that was gone still gone");
      yield* settle;
      assert.strictEqual(yield* registered, 3, "added up");
      const [state] = yield* sql<{ readonly devices: number; readonly fed: number }>`
        SELECT devices::int AS devices, (SELECT count(*)::int FROM device_delta WHERE ${mine}) AS fed
        FROM rollup_state WHERE ${mine}`;
      assert.deepStrictEqual(state, { devices: 3, fed: 0 });
    }),
  );
});
