import { assert, layer } from "@effect/vitest";
import { Effect, Layer } from "effect";
import { SqlClient } from "effect/sql";
import { AssumeDistributed } from "../../src/database/citus/IsDistributed.ts";
import { TestWaypost } from "../TestWaypost.ts";
import { called, calledAfter, webhookWorld } from "./WebhookWorld.ts";

const assumed = TestWaypost.layer.pipe(Layer.provideMerge(Layer.succeed(AssumeDistributed, true)));

/** A webhook that has an event to send whose delivery is at another state than the event says. */
const pendingWorld = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient;
  const world = yield* webhookWorld;
  const { location, phone } = yield* world.geo();
  yield* world.make({ events: ["message.delivered"] });
  yield* phone.sees("enter", location);
  const { workspaceId } = world.production;
  yield* sql`
    UPDATE delivery SET status = 'queued', settled_at = NULL, last_error = 'pending'
    WHERE workspace_id = ${workspaceId}`;
  return { ...world, sql, workspaceId };
});

layer(assumed)("Events whose delivery is not visible yet", (it) => {
  it.effect("wait until it is, as a node of Citus commits later (N4.1, running.citus)", () =>
    Effect.gen(function* () {
      const { receiver, sql, waiting, workspaceId } = yield* pendingWorld;
      yield* called;
      assert.lengthOf(receiver.calls, 0);
      assert.deepStrictEqual(yield* waiting, { events: 1, calls: 0 });
      yield* sql`
        UPDATE delivery SET status = 'delivered', settled_at = created_at WHERE workspace_id = ${workspaceId}`;
      yield* called;
      assert.lengthOf(receiver.calls, 1);
      assert.strictEqual(receiver.calls[0]?.body.data.status, "delivered");
      assert.deepStrictEqual(yield* waiting, { events: 0, calls: 0 });
    }),
  );

  it.effect("are dropped after ten minutes if it is gone (N4.1, running.citus)", () =>
    Effect.gen(function* () {
      const { receiver, sql, waiting, workspaceId } = yield* pendingWorld;
      yield* sql`DELETE FROM delivery WHERE workspace_id = ${workspaceId}`;
      yield* called;
      assert.deepStrictEqual(yield* waiting, { events: 1, calls: 0 });
      yield* calledAfter(600_000);
      assert.lengthOf(receiver.calls, 0);
      assert.deepStrictEqual(yield* waiting, { events: 0, calls: 0 });
    }),
  );
});
