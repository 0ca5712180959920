import { assert, layer } from "@effect/vitest";
import { Clock, Effect, Layer } from "effect";
import { SqlClient } from "effect/sql";
import { TestClock } from "effect/testing";
import { assumeDistributed } from "../../src/database/citus/IsDistributed.ts";
import { MessageIds } from "../../src/sending/deliveries/MessageId.ts";
import { callQueueSql } from "../../src/webhooks/calls/CallQueueSql.ts";
import { callTaking } from "../../src/webhooks/calls/CallTaking.ts";
import { TestWaypost } from "../TestWaypost.ts";
import { called, webhookWorld } from "./WebhookWorld.ts";

const assumed = Layer.effectDiscard(Effect.map(SqlClient.SqlClient, assumeDistributed)).pipe(
  Layer.provideMerge(TestWaypost.layer),
);

/** The number of calls that a worker takes. */
const taken = Effect.gen(function* () {
  const { dueWebhooks } = yield* callQueueSql;
  const { take } = yield* callTaking;
  const due = yield* dueWebhooks(yield* Clock.currentTimeMillis, 10);
  const all = due.length === 0 ? [] : yield* take(due.map((webhook) => ({ webhook, room: 10 })));
  return all.flatMap(({ calls }) => calls).length;
}).pipe(Effect.provide(MessageIds.layer));

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
  it.effect("an event waits until a node of Citus has committed its delivery (N4.1, running.citus)", () =>
    Effect.gen(function* () {
      const { receiver, sql, waiting, workspaceId } = yield* pendingWorld;
      assert.strictEqual(yield* taken, 0);
      assert.deepStrictEqual(yield* waiting, { events: 1, calls: 0 });
      yield* sql`
        UPDATE delivery SET status = 'delivered', settled_at = created_at
        WHERE workspace_id = ${workspaceId}`;
      yield* called;
      assert.lengthOf(receiver.calls, 1);
      assert.strictEqual(receiver.calls[0]?.body.data.status, "delivered");
      assert.deepStrictEqual(yield* waiting, { events: 0, calls: 0 });
    }),
  );

  it.effect("an event whose delivery is gone is dropped after ten minutes (N4.1, running.citus)", () =>
    Effect.gen(function* () {
      const { sql, waiting, workspaceId } = yield* pendingWorld;
      yield* sql`DELETE FROM delivery WHERE workspace_id = ${workspaceId}`;
      assert.strictEqual(yield* taken, 0);
      assert.deepStrictEqual(yield* waiting, { events: 1, calls: 0 });
      yield* TestClock.adjust("10 minutes");
      assert.strictEqual(yield* taken, 0);
      assert.deepStrictEqual(yield* waiting, { events: 0, calls: 0 });
    }),
  );
});
