import { assert, layer } from "@effect/vitest";
import { Effect } from "effect";
import { SqlClient } from "effect/sql";
import { moveTo, sendWorld } from "../sending/sends/SendWorld.ts";
import { TestWaypost } from "../TestWaypost.ts";

layer(TestWaypost.layer)("Erasure of waiting pushes", (it) => {
  it.effect("waiting pushes are dropped uncounted, and their send is done (Q3.8)", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient;
      const { production, waypost, workspace } = yield* sendWorld();
      const push = { transport: "fcm", token: "token" };
      const phone = yield* production.phone("phone", { user_id: "anna", push });
      yield* production.phone("inbox");
      yield* production.sent(yield* production.push(), "12:30");
      yield* moveTo("2026-11-21T12:30:00Z");
      // Without credentials the push has failed: it waits again, as if they were set.
      yield* sql`UPDATE send SET status = 'running', finished_at = NULL, failed = 0
        WHERE workspace_id = ${production.workspaceId}`;
      yield* sql`UPDATE delivery SET status = 'queued', settled_at = NULL, last_error = NULL
        WHERE workspace_id = ${production.workspaceId} AND transport = 'fcm'`;
      yield* sql`INSERT INTO push_queue (workspace_id, environment, source_id, device_key, transport, due_at)
        SELECT workspace_id, environment, source_id, device_key, transport, '2026-11-22Z' FROM delivery
        WHERE workspace_id = ${production.workspaceId} AND transport = 'fcm'`;
      const [before] = yield* production.sends();
      assert.deepInclude(before, { status: "running", targeted: 2, delivered: 1, failed: 0 });
      const path = `/workspaces/${workspace.id}/production/devices/${phone.id}`;
      const erased = yield* waypost.operator(path, { method: "DELETE" });
      assert.deepStrictEqual(erased.body.data, { devices: 1 });
      const [after] = yield* production.sends();
      assert.deepInclude(after, { status: "done", targeted: 1, delivered: 1, failed: 0 });
      const left = yield* sql`SELECT FROM push_queue WHERE workspace_id = ${production.workspaceId}`;
      assert.isEmpty(left);
      const [count] = yield* sql<{ count: number }>`SELECT count(*)::int AS count FROM delivery
        WHERE workspace_id = ${production.workspaceId}`;
      assert.strictEqual(count?.count, 1);
      // A batch that began before the erasure does not reach the device either.
      yield* production.sent(yield* production.push(), "12:40");
      yield* sql`UPDATE device SET unregistered_at = '2026-11-23Z'
        WHERE workspace_id = ${production.workspaceId} AND erased_at IS NOT NULL`;
      yield* moveTo("2026-11-21T12:40:00Z");
      assert.deepInclude((yield* production.sends()).at(-1), { status: "done", targeted: 1 });
    }),
  );

  it.effect("a held message is dropped uncounted, also of a send that is done (Q3.8, X24a)", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient;
      const { production, waypost, workspace } = yield* sendWorld();
      const phone = yield* production.phone("phone", { user_id: "anna" });
      yield* production.phone("other");
      const quiet_hours = { from: "12:00", to: "14:00", action: "hold" };
      yield* production.sent(yield* production.push({ quiet_hours }), "12:30");
      yield* moveTo("2026-11-21T12:30:00Z");
      const [before] = yield* production.sends();
      assert.deepInclude(before, { status: "done", targeted: 2, held: 2 });
      const person = `/workspaces/${workspace.id}/production/people/anna`;
      yield* waypost.operator(person, { method: "DELETE" });
      const [after] = yield* production.sends();
      assert.deepInclude(after, { status: "done", targeted: 1, held: 1, delivered: 0, failed: 0 });
      const left = yield* sql<{ user_key: number | null }>`SELECT user_key FROM delivery
        WHERE workspace_id = ${production.workspaceId}`;
      assert.deepStrictEqual(left, [{ user_key: null }]);
      assert.isEmpty(yield* sql`SELECT FROM device_user WHERE workspace_id = ${production.workspaceId}`);
      assert.strictEqual((yield* phone.ask("/messages")).status, 401);
    }),
  );
});
