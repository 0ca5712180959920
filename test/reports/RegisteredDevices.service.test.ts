import { assert, layer } from "@effect/vitest";
import { Effect } from "effect";
import { SqlClient } from "effect/sql";
import { Workspaces } from "../../src/workspaces/Workspaces.ts";
import { TestWaypost } from "../TestWaypost.ts";
import { record } from "./RecordedHistory.ts";
import { devices } from "./ReportHistory.ts";
import { rollUp } from "./rollups/StoredRollups.ts";
import { writeDevices } from "../SourceRows.ts";

layer(TestWaypost.layer)("Registered devices in reports", (it) => {
  it.effect("reports show the devices that are registered now, with and without pending deltas (K4)", () =>
    Effect.gen(function* () {
      const waypost = yield* TestWaypost;
      const workspaces = yield* Workspaces;
      const sql = yield* SqlClient.SqlClient;
      const tenant = yield* waypost.tenant();
      const { workspaceId } = yield* Effect.orDie(workspaces.find(tenant.workspace.id));
      yield* record(workspaceId, "sandbox", { devices: devices(5) });
      const mine = sql`workspace_id = ${workspaceId} AND environment = 'sandbox'`;
      const registered = Effect.map(
        tenant.sandbox("/reports/summary"),
        ({ body }) => body.data.totals.registered_devices as number,
      );
      assert.strictEqual(yield* registered, 5, "never counted");
      yield* rollUp;
      assert.strictEqual(yield* registered, 5, "counted");
      yield* writeDevices(
        sql`UPDATE device SET unregistered_at = registered_at WHERE ${mine} AND key <= 3`,
        -1,
      );
      assert.strictEqual(yield* registered, 2, "three unregistered, with pending deltas");
      yield* rollUp;
      yield* writeDevices(sql`UPDATE device SET unregistered_at = NULL WHERE ${mine} AND key = 1`, 1);
      yield* sql`UPDATE device SET unregistered_at = registered_at WHERE ${mine} AND key = 2`;
      yield* sql`UPDATE device SET last_seen_at = registered_at WHERE ${mine}`;
      assert.strictEqual(yield* registered, 3, "one registered again, one still unregistered");
      yield* rollUp;
      assert.strictEqual(yield* registered, 3, "counted again");
      const [state] = yield* sql<{ readonly devices: number; readonly deltas: number }>`
        SELECT devices::int AS devices, (SELECT count(*)::int FROM device_delta WHERE ${mine}) AS deltas
        FROM rollup_state WHERE ${mine}`;
      assert.deepStrictEqual(state, { devices: 3, deltas: 0 });
    }),
  );
});
