import { assert, layer } from "@effect/vitest";
import { Effect } from "effect";
import { TestClock } from "effect/testing";
import { randomUUID } from "node:crypto";
import { completeErasures } from "../../src/people/Erasures.ts";
import { TestWaypost } from "../TestWaypost.ts";
import { called, webhookWorld } from "../webhooks/WebhookWorld.ts";
import { namesOf, personWorld, userId } from "./PersonWorld.ts";

layer(TestWaypost.layer)("Erasure of what webhooks have not sent", (it) => {
  it.effect("webhooks get nothing of the person that was not sent before (Q3.4)", () =>
    Effect.gen(function* () {
      const world = yield* personWorld;
      const { make, other, phone, receiver, tablet } = world;
      receiver.answer(() => 500);
      yield* make({ batch: true });
      yield* make();
      for (const device of [phone, other, tablet]) yield* device.sees("enter", world.location);
      yield* called;
      for (const device of [phone, other, tablet]) yield* device.sees("exit", world.location);
      yield* world.erase;
      receiver.calls.length = 0;
      receiver.answer(() => 204);
      yield* TestClock.adjust("1 minute");
      yield* called;
      const text = receiver.calls.map((call) => call.text).join("\n");
      assert.include(text, other.id);
      for (const name of namesOf([phone, tablet])) assert.notInclude(text, name);
    }),
  );

  it.effect("a person whose device is somebody else's now is exported and erased as well (Q3.1, Q3.4)", () =>
    Effect.gen(function* () {
      const { make, platform, production, receiver, waypost, workspace } = yield* webhookWorld;
      const user_id = randomUUID();
      const phone = yield* production.phone(randomUUID(), { user_id });
      receiver.answer(() => 500);
      yield* make({ events: ["event.custom"] });
      yield* platform("/events", { body: { events: [{ id: randomUUID(), user_id, name: "order.placed" }] } });
      yield* phone.ask("/devices/me", { method: "PATCH", body: { user_id: randomUUID() } });
      yield* called;
      const path = `/workspaces/${workspace.id}/production/people/${user_id}`;
      const { body } = yield* waypost.operator(path);
      assert.deepStrictEqual([body.data.devices, body.data.custom_events.length], [[], 1]);
      const erased = yield* waypost.operator(path, { method: "DELETE" });
      assert.deepStrictEqual(erased.body.data, { devices: 0 });
      const deleted = yield* platform("/activity?resource=person");
      assert.deepStrictEqual(
        deleted.body.data.map((entry: any) => entry.changes),
        [{ devices: { old: 0, new: null } }],
      );
      receiver.calls.length = 0;
      receiver.answer(() => 204);
      yield* TestClock.adjust("1 minute");
      yield* called;
      assert.isEmpty(receiver.calls);
      assert.strictEqual((yield* waypost.operator(path)).status, 404);
    }),
  );

  it.effect("what a person does who comes back meanwhile is reported (Q3.4, N4)", () =>
    Effect.gen(function* () {
      const world = yield* personWorld;
      const { make, platform, production, receiver } = world;
      yield* world.erase;
      receiver.answer(() => 500);
      yield* make({ events: ["event.custom"] });
      yield* production.phone("new-phone", { user_id: userId });
      const event = { id: randomUUID(), user_id: userId, name: "order.placed" };
      yield* platform("/events", { body: { events: [event] } });
      yield* called;
      yield* TestClock.adjust("31 seconds");
      yield* completeErasures;
      receiver.calls.length = 0;
      receiver.answer(() => 204);
      yield* TestClock.adjust("10 minutes");
      yield* called;
      assert.deepStrictEqual(
        receiver.events().map(({ data }) => data.id),
        [event.id],
      );
    }),
  );
});
