import { assert, layer } from "@effect/vitest";
import { Effect } from "effect";
import { TestClock } from "effect/testing";
import { TestDatabase } from "../database/TestDatabase.ts";
import { fakeMedia, testStart, TestWaypost } from "../TestWaypost.ts";
import { isSigned } from "./TestReceiver.ts";
import { called, webhookWorld } from "./WebhookWorld.ts";

layer(TestWaypost.layer)("Calls of webhooks", (it) => {
  it.effect("an event reaches its receiver once, signed by Standard Webhooks (N2.1, N3.1, N4.1)", () =>
    Effect.gen(function* () {
      const { geo, make, receiver, attempts, show, waiting, workspace } = yield* webhookWorld;
      const { campaign, location, notification, phone } = yield* geo();
      const { id, secret } = yield* make({ events: ["message.delivered"] });
      const { deliveries } = yield* phone.sees("enter", location);
      yield* called;
      assert.lengthOf(receiver.calls, 1);
      const [call] = receiver.calls;
      assert.isTrue(call !== undefined && isSigned(secret, call, testStart));
      assert.deepInclude(call?.body, { type: "message.delivered", timestamp: "2026-11-21T12:00:00+00:00" });
      assert.deepStrictEqual(call?.body.data, {
        id: deliveries[0].id,
        send_id: null,
        campaign_id: campaign,
        notification_id: notification,
        device_id: phone.id,
        trigger_type: "on_enter",
        location_id: location,
        transport: "inbox",
        status: "delivered",
        attempts: 0,
        last_error: null,
        cut: [],
        test: false,
        variant: null,
        created_at: "2026-11-21T12:00:00+00:00",
        held_until: null,
        delivered_at: "2026-11-21T12:00:00+00:00",
        opened_at: null,
        clicked_at: null,
        environment: "production",
        workspace_id: workspace.id,
      });
      const [attempt, ...more] = yield* attempts(id);
      assert.deepInclude(attempt, {
        event_id: call?.body.id,
        event_type: "message.delivered",
        attempt: 1,
        status_code: 204,
        error: null,
        next_attempt_at: null,
      });
      assert.isEmpty(more);
      assert.strictEqual((yield* show(id)).last_attempt_at, "2026-11-21T12:00:00+00:00");
      assert.deepStrictEqual(yield* waiting, { events: 0, calls: 0 });
      yield* called;
      assert.lengthOf(receiver.calls, 1);
    }),
  );
});

layer(TestWaypost.layerWith({}, TestDatabase.layer, fakeMedia, 250))("Polls of webhooks", (it) => {
  it.effect("a worker finds new events by itself within a quarter of a second (N4.1)", () =>
    Effect.gen(function* () {
      const { geo, make, receiver } = yield* webhookWorld;
      const { location, phone } = yield* geo();
      yield* make({ events: ["location.entered"] });
      // Now the worker has just polled, and sleeps.
      yield* called;
      yield* phone.sees("enter", location);
      yield* TestClock.adjust(250);
      yield* receiver.arrived(1);
      assert.strictEqual(receiver.calls[0]?.body.type, "location.entered");
      yield* called;
    }),
  );
});
