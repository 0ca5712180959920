import { assert, layer } from "@effect/vitest";
import { Effect } from "effect";
import { SqlClient } from "effect/sql";
import { TestClock } from "effect/testing";
import { TestWaypost } from "../TestWaypost.ts";
import { pollAgain, moveTo } from "../sending/sends/SendWorld.ts";
import { asRecorded, called, webhookWorld } from "./WebhookWorld.ts";

const minute = 60_000;

layer(TestWaypost.layer)("Events of webhooks", (it) => {
  it.effect("enters, exits, openings and answers are events with ids and the environment (N2.1, N2.2)", () =>
    Effect.gen(function* () {
      const { geo, make, receiver, workspace } = yield* webhookWorld;
      const { campaign, location, notification, phone } = yield* geo({
        type: "survey",
        questions: [
          {
            question_text: "Which?",
            type: "SINGLE_CHOICE",
            choices: [{ text: "Bread" }, { text: "Cheese" }],
          },
          { question_text: "Both?", type: "MULTIPLE_CHOICE", choices: [{ text: "A" }, { text: "B" }] },
          { question_text: "How much?", type: "NUMBER" },
        ],
      });
      yield* make();
      const [message] = (yield* phone.sees("enter", location, { id: "5b3cf2a4-8f57-4a0e-9d4b-0d0f6c1e7a11" }))
        .deliveries;
      yield* TestClock.adjust(minute);
      const opened = () => phone.ask(`/messages/${message.id}/opened`, { method: "POST" });
      yield* opened();
      yield* opened();
      const [choice, several, number] = message.questions;
      const answer = (value: unknown) =>
        phone.ask(`/messages/${message.id}/answers`, {
          body: {
            answers: [
              { question_id: choice.id, value },
              { question_id: several.id, value: ["B", "A"] },
              { question_id: number.id, value: 3.5 },
            ],
          },
        });
      yield* answer("Bread");
      yield* TestClock.adjust(minute);
      yield* answer(choice.choices[1].id);
      yield* phone.sees("exit", location);
      yield* called;
      const events = receiver.events();
      assert.sameMembers(
        events.map(({ type }) => type),
        [
          "location.entered",
          "location.exited",
          "message.delivered",
          "message.opened",
          "survey.answered",
          "survey.answered",
        ],
      );
      const of = (type: string) => events.filter((event) => event.type === type);
      const own = { environment: "production", workspace_id: workspace.id };
      assert.deepStrictEqual(of("location.entered")[0].data, {
        id: "5b3cf2a4-8f57-4a0e-9d4b-0d0f6c1e7a11",
        type: "enter",
        location_id: location,
        device_id: phone.id,
        occurred_at: "2026-11-21T12:00:00+00:00",
        ...own,
      });
      assert.deepInclude(of("message.delivered")[0].data, { id: message.id, opened_at: null });
      assert.deepInclude(of("message.opened")[0].data, {
        id: message.id,
        opened_at: "2026-11-21T12:01:00+00:00",
      });
      const [first, second] = of("survey.answered");
      assert.deepStrictEqual(first.data, {
        id: second.data.id,
        device_id: phone.id,
        message_id: message.id,
        campaign_id: campaign,
        notification_id: notification,
        answered_at: "2026-11-21T12:01:00+00:00",
        first_answered_at: "2026-11-21T12:01:00+00:00",
        answers: [
          { question_id: choice.id, value: "Bread" },
          { question_id: several.id, value: first.data.answers[1].value },
          { question_id: number.id, value: 3.5 },
        ],
        ...own,
      });
      assert.sameMembers(first.data.answers[1].value, ["A", "B"]);
      assert.deepInclude(second.data, {
        answered_at: "2026-11-21T12:02:00+00:00",
        first_answered_at: "2026-11-21T12:01:00+00:00",
      });
      assert.deepInclude(second.data.answers[0], { value: "Cheese" });
      assert.lengthOf(new Set(events.map(({ id }) => id)), 6);
    }),
  );

  it.effect("changes of campaigns are events; repeated pauses and notifications are none (N2.2)", () =>
    Effect.gen(function* () {
      const { make, platform, production, receiver } = yield* webhookWorld;
      yield* make({ events: ["campaign.created", "campaign.updated", "campaign.deleted"] });
      const location = yield* production.location();
      const body = {
        name: "Opening",
        type: "geo",
        timezone: "UTC",
        starts_at: "2026-11-21",
        location_ids: [location],
      };
      const created = (yield* platform("/campaigns", { body })).body.data;
      const path = `/campaigns/${created.id}`;
      yield* platform(path, { method: "PATCH", body: { ...body, name: "Closing" } });
      yield* platform(`${path}/pause`, { method: "POST" });
      yield* platform(`${path}/pause`, { method: "POST" });
      yield* platform(`${path}/publish`, { method: "POST" });
      yield* platform(`${path}/publish`, { method: "POST" });
      yield* production.notification(created.id);
      yield* platform(path, { method: "DELETE" });
      yield* called;
      const recorded = asRecorded(receiver.events());
      assert.deepStrictEqual(
        recorded.map(({ data, type }) => [type, data.name, data.status]),
        [
          ["campaign.created", "Opening", "active"],
          ["campaign.updated", "Closing", "active"],
          ["campaign.updated", "Closing", "paused"],
          ["campaign.updated", "Closing", "active"],
          ["campaign.deleted", "Closing", "active"],
        ],
      );
      const { environment, workspace_id, ...campaign } = recorded[0].data;
      assert.deepStrictEqual(campaign, created);
      assert.deepStrictEqual([environment, typeof workspace_id], ["production", "string"]);
    }),
  );

  it.effect("registering and unregistering are events without the device's token (N2.2)", () =>
    Effect.gen(function* () {
      const { make, production, receiver } = yield* webhookWorld;
      yield* make({ events: ["device.registered", "device.unregistered"] });
      const phone = yield* production.phone("installation-1", { attributes: { plan: "gold" } });
      // Changing a registration is no event.
      yield* phone.ask("/devices/me", { method: "PATCH", body: { locale: "nl-NL" } });
      yield* phone.ask("/devices/me", { method: "DELETE" });
      const again = yield* production.phone("installation-1");
      yield* called;
      const events = asRecorded(receiver.events());
      assert.deepStrictEqual(
        events.map(({ data, type }) => [type, data.id, data.attributes, "device_token" in data]),
        [
          ["device.registered", phone.id, { plan: "gold" }, false],
          ["device.unregistered", phone.id, { plan: "gold" }, false],
          ["device.registered", again.id, {}, false],
        ],
      );
    }),
  );

  it.effect("a send tells each delivery and its end, whatever the number of devices (N2.2, N3.2, N4.1)", () =>
    Effect.gen(function* () {
      const { make, production, receiver, waiting } = yield* webhookWorld;
      yield* make({ batch: true, events: ["message.delivered", "send.finished"] });
      yield* production.crowd(1_203);
      const campaign = yield* production.push();
      yield* production.sent(campaign, "12:30");
      yield* moveTo("2026-11-21T12:30:00Z");
      yield* called;
      const delivered = receiver.events().filter(({ type }) => type === "message.delivered");
      assert.lengthOf(delivered, 1_203);
      assert.lengthOf(new Set(delivered.map(({ id }) => id)), 1_203);
      assert.lengthOf(new Set(delivered.map(({ data }) => data.device_id)), 1_203);
      assert.isTrue(receiver.calls.every(({ body }) => body.type === "batch" && body.data.length <= 500));
      const [send] = (yield* production.platform("/sends")).body.data;
      const [finished, ...more] = receiver.events().filter(({ type }) => type === "send.finished");
      assert.isEmpty(more);
      const { environment: _environment, workspace_id: _workspace, ...shown } = finished.data;
      assert.deepStrictEqual(shown, send);
      assert.deepInclude(shown, { status: "done", targeted: 1_203, delivered: 1_203 });
      assert.deepStrictEqual(yield* waiting, { events: 0, calls: 0 });
    }),
  );

  it.effect("skipped, missed and cancelled sends are finished too (N2.2)", () =>
    Effect.gen(function* () {
      const { make, production, receiver } = yield* webhookWorld;
      yield* make({ events: ["send.finished"] });
      yield* production.crowd(1);
      const paused = yield* production.push();
      yield* production.sent(paused, "12:30");
      const deleted = yield* production.push();
      yield* production.sent(deleted, "12:40");
      yield* production.ask(paused, "pause");
      yield* production.remove(deleted);
      yield* moveTo("2026-11-21T12:30:00Z");
      yield* called;
      assert.sameDeepMembers(
        receiver.events().map(({ data }) => [data.campaign_id, data.status]),
        [
          [paused, "skipped"],
          [deleted, "cancelled"],
        ],
      );
    }),
  );

  it.effect("a push without credentials is message.failed (N2.2)", () =>
    Effect.gen(function* () {
      const { geo, make, production, receiver } = yield* webhookWorld;
      const { location } = yield* geo();
      yield* make({ events: ["message.failed"] });
      const phone = yield* production.phone("fcm", { push: { transport: "fcm", token: "t" } });
      yield* phone.sees("enter", location);
      yield* pollAgain;
      yield* called;
      const [event] = receiver.events();
      assert.deepInclude(event.data, { status: "failed", transport: "fcm", delivered_at: null });
      assert.match(event.data.last_error, /No credentials/);
    }),
  );

  it.effect(
    "only active webhooks that listen to a type record its events, from their creation on (N4.1, N4.4)",
    () =>
      Effect.gen(function* () {
        const { geo, make, platform, receiver } = yield* webhookWorld;
        const { location, phone } = yield* geo();
        const sql = yield* SqlClient.SqlClient;
        const recorded = Effect.map(
          Effect.orDie(sql`SELECT FROM webhook_event e JOIN tenant t USING (workspace_id, environment)`),
          (rows) => rows.length,
        );
        const before = yield* recorded;
        yield* phone.sees("enter", location);
        assert.strictEqual(yield* recorded, before);
        const { id } = yield* make({ events: ["location.exited"] });
        yield* phone.sees("enter", location);
        assert.strictEqual(yield* recorded, before);
        yield* phone.sees("exit", location);
        yield* called;
        assert.lengthOf(receiver.calls, 1);
        yield* platform(`/webhooks/${id}`, { method: "PATCH", body: { status: "disabled" } });
        yield* phone.sees("exit", location);
        yield* platform(`/webhooks/${id}`, { method: "PATCH", body: { status: "active" } });
        yield* phone.sees("exit", location);
        yield* called;
        assert.lengthOf(receiver.calls, 2);
      }),
  );

  it.effect("two webhooks get one event with one id, in calls with ids of their own (N2.1, N3.1)", () =>
    Effect.gen(function* () {
      const { geo, make, receiver } = yield* webhookWorld;
      const { location, phone } = yield* geo();
      yield* make({ events: ["location.entered"] });
      yield* make({ events: ["location.entered", "location.exited"] });
      yield* phone.sees("enter", location);
      yield* called;
      assert.lengthOf(receiver.calls, 2);
      const [a, b] = receiver.calls;
      assert.strictEqual(a?.body.id, b?.body.id);
      assert.notStrictEqual(a?.headers["webhook-id"], b?.headers["webhook-id"]);
    }),
  );
});
