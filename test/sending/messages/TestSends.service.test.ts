import { assert, layer } from "@effect/vitest";
import { Effect } from "effect";
import { SqlClient } from "effect/sql";
import { TestClock } from "effect/testing";
import { randomUUID } from "node:crypto";
import { Retention } from "../../../src/reports/retention/Retention.ts";
import { givenWorkspace } from "../../given/GivenWorkspace.ts";
import { rollUp } from "../../reports/rollups/StoredRollups.ts";
import { testStart, TestWaypost } from "../../TestWaypost.ts";
import { asRecorded, called, webhookWorld } from "../../webhooks/WebhookWorld.ts";
import { localServices } from "../push/LocalProviders.ts";
import { pushed, pushWorld } from "../push/PushWorld.ts";

const unknownId = "01980a6c-0f3e-7c52-9a41-3f1f5d7a2b60";
const question = { question_text: "Which?", type: "SINGLE_CHOICE", choices: [{ text: "A" }, { text: "B" }] };

/** A geo campaign with one notification, a phone, and the path of its test sends. */
const testWorld = (fields: object = {}) =>
  Effect.gen(function* () {
    const world = yield* webhookWorld;
    const made = yield* world.geo(fields);
    const path = `/campaigns/${made.campaign}/notifications/${made.notification}`;
    const send = (device_ids: unknown, more: object = {}) =>
      world.production.platform(`${path}/test`, { body: { device_ids, ...more } });
    const base = `/workspaces/${world.workspace.id}/production`;
    const deliveries = Effect.map(
      world.waypost.operator(`${base}/deliveries`),
      ({ body }) => body.data as Array<any>,
    );
    return { ...world, ...made, path, send, deliveries };
  });

layer(TestWaypost.layer)("TestSends", (it) => {
  it.effect("a test reaches its devices now, whatever pause, window and cap say (O4.1)", () =>
    Effect.gen(function* () {
      const world = yield* testWorld({ headline: "At {{ location.name }}", template: "liquid" });
      const { campaign, location, phone, production, send } = world;
      yield* production.ask(campaign, "pause");
      const other = yield* production.phone();
      const ids = [phone.id, other.id, phone.id.toUpperCase()];
      for (let times = 0; times < 2; times++) {
        const answer = yield* send(ids, { location_id: location });
        assert.strictEqual(answer.status, 202, JSON.stringify(answer.body));
        assert.deepStrictEqual(
          answer.body.data.deliveries.map((each: any) => each.device_id),
          [phone.id, other.id],
        );
        const [message] = yield* phone.inbox();
        assert.strictEqual(message.id, answer.body.data.deliveries[0].id);
        assert.strictEqual(message.headline, "At Store");
      }
      const shown = (yield* world.deliveries).map((each) => [
        each.location_id,
        each.send_id,
        each.status,
        each.test,
      ]);
      assert.deepStrictEqual(
        shown,
        Array.from({ length: 4 }, () => [location, null, "delivered", true]),
      );
      assert.strictEqual((yield* send([phone.id])).status, 202);
      assert.strictEqual((yield* phone.inbox())[0].headline, "At");
    }),
  );

  it.effect(
    "a device that nobody approved or that wants no messages is refused by its index (O4.2, T6.2)",
    () =>
      Effect.gen(function* () {
        const world = yield* testWorld();
        const { phone, platform, path, production, sandbox, send, waypost } = world;
        const unapproved = yield* production.device(randomUUID());
        const gone = yield* production.phone();
        const erased = yield* production.phone();
        const unsubscribed = yield* production.phone(randomUUID(), { subscribed: false });
        const [inSandbox, elsewhere] = [
          yield* sandbox.phone(),
          yield* (yield* givenWorkspace()).production.phone(),
        ];
        yield* gone.ask("/devices/me", { method: "DELETE" });
        const base = `/workspaces/${world.workspace.id}/production`;
        yield* waypost.operator(`${base}/devices/${erased.id}`, { method: "DELETE" });
        const fieldsOf = (ids: unknown, more: object = {}) =>
          Effect.map(send(ids, more), ({ body, status }) => {
            assert.strictEqual(status, 422, JSON.stringify(body));
            return Object.keys(body.error.fields).sort();
          });
        const refused = [unapproved, gone, erased, unsubscribed, inSandbox, elsewhere].map(({ id }) => id);
        assert.deepStrictEqual(
          yield* fieldsOf([phone.id, ...refused, unknownId]),
          Array.from({ length: 7 }, (_, index) => `device_ids.${index + 1}`),
        );
        assert.deepStrictEqual(yield* fieldsOf([]), ["device_ids"]);
        assert.deepStrictEqual(yield* fieldsOf(Array.from({ length: 21 }, () => phone.id)), ["device_ids"]);
        assert.deepStrictEqual(yield* fieldsOf(["x"]), ["device_ids.0"]);
        assert.deepStrictEqual(yield* fieldsOf(phone.id), ["device_ids"]);
        assert.deepStrictEqual(yield* fieldsOf([phone.id], { location_id: unknownId }), ["location_id"]);
        assert.deepStrictEqual(yield* phone.inbox(), []);
        const missing = path.replace(/[^/]+$/, unknownId);
        assert.strictEqual((yield* platform(`${missing}/test`, { body: {} })).status, 404);
        // Without an approval the device gets everything else.
        assert.isFalse((yield* platform(`/devices/${unapproved.id}`)).body.data.approved);
        const event = { id: randomUUID(), type: "enter", location_id: world.location };
        const occurred_at = new Date(testStart).toISOString();
        const events = [{ ...event, occurred_at }];
        const seen = yield* unapproved.ask("/events", { body: { events } });
        assert.lengthOf(seen.body.data.deliveries, 1);
        const approval = { method: "PATCH", body: { approved: true } };
        assert.isTrue((yield* platform(`/devices/${unapproved.id}`, approval)).body.data.approved);
        assert.strictEqual((yield* send([unapproved.id])).status, 202);
        const listed = (query: string) =>
          Effect.map(platform(`/devices?${query}`), ({ body }) => body.data.map(({ id }: any) => id));
        assert.deepStrictEqual(yield* listed("approved=true"), [unsubscribed.id, unapproved.id, phone.id]);
        yield* platform(`/devices/${unapproved.id}`, { method: "PATCH", body: { approved: false } });
        assert.deepStrictEqual(yield* fieldsOf([unapproved.id]), ["device_ids.0"]);
        assert.deepStrictEqual(yield* listed("approved=false"), [unapproved.id]);
      }),
  );

  it.effect("a test counts in no report, cap, interaction or result, also later (O4.3)", () =>
    Effect.gen(function* () {
      const once = { frequency_cap_count: 1, frequency_cap_period: "day" };
      const world = yield* testWorld({ type: "survey", questions: [question] });
      const { campaign, location, path, phone, platform, send } = world;
      yield* platform(`/campaigns/${campaign}`, { method: "PATCH", body: once });
      const { deliveries } = (yield* send([phone.id], { location_id: location })).body.data;
      const message = `/messages/${deliveries[0].id}`;
      const [shown] = yield* phone.inbox();
      assert.strictEqual((yield* phone.ask(`${message}/clicked`, { method: "POST" })).status, 200);
      const answers = [{ question_id: shown.questions[0].id, value: "B" }];
      for (const value of ["A", "B"]) {
        const body = { answers: [{ ...answers[0], value }] };
        assert.strictEqual((yield* phone.ask(`${message}/answers`, { body })).status, 200);
      }
      const sql = yield* SqlClient.SqlClient;
      const kept = Effect.orDie(sql<{ readonly answers: ReadonlyArray<unknown> }>`
        SELECT answers FROM test_response WHERE workspace_id = ${world.production.workspaceId}`);
      const expected = [{ question_id: answers[0]?.question_id, value: shown.questions[0].choices[1].id }];
      assert.deepStrictEqual((yield* kept)[0]?.answers, expected);
      const nothing = Effect.gen(function* () {
        const report = (name: string) => Effect.map(platform(`/reports/${name}`), ({ body }) => body.data);
        const { totals } = yield* report("summary");
        assert.deepInclude(totals, { delivered: 0, devices_reached: 0 });
        for (const row of yield* report("interactions"))
          assert.deepInclude(row, { delivered: 0, opened: 0, clicked: 0 });
        for (const row of yield* report("notifications")) assert.deepInclude(row, { delivered: 0 });
        assert.strictEqual((yield* platform(`${path}/results`)).body.data.responses, 0);
        assert.lengthOf((yield* platform(`${path}/answers`)).body.data, 0);
      });
      yield* nothing;
      // The cap is not used up.
      assert.lengthOf((yield* phone.sees("enter", location)).deliveries, 1);
      yield* Effect.orDie(sql`DELETE FROM delivery WHERE NOT test`);
      yield* rollUp;
      yield* Effect.orDie(sql`UPDATE rollup_state SET timezone = ''`);
      yield* rollUp;
      yield* nothing;
      yield* TestClock.setTime(testStart + 500 * 86_400_000);
      yield* (yield* Retention).compact("deliveries", testStart + 400 * 86_400_000);
      assert.lengthOf(yield* kept, 0);
      assert.lengthOf(yield* world.deliveries, 0);
      const compacted = yield* Effect.orDie(sql`
        SELECT FROM compacted_delivery WHERE workspace_id = ${world.production.workspaceId}`);
      assert.lengthOf(compacted, 0);
    }),
  );

  it.effect("webhooks get the messages of a test, marked as such (O4.4)", () =>
    Effect.gen(function* () {
      const { location, make, phone, receiver, send } = yield* testWorld();
      yield* make({ events: ["message.delivered", "message.opened"] });
      const { deliveries } = (yield* send([phone.id])).body.data;
      yield* phone.ask(`/messages/${deliveries[0].id}/opened`, { method: "POST" });
      yield* phone.sees("enter", location);
      yield* called;
      const events = asRecorded(receiver.calls.map(({ body }: any) => body));
      assert.deepStrictEqual(
        events.map(({ data, type }: any) => [type, data.test]),
        [
          ["message.delivered", true],
          ["message.opened", true],
          ["message.delivered", false],
        ],
      );
    }),
  );

  it.effect(
    "a test is pushed; a device whose address is gone fails, and so does a bad rendering (O4.1)",
    () =>
      Effect.gen(function* () {
        const service = yield* localServices.fcm;
        const headline = "{{ device.attributes.name }}";
        const world = yield* pushWorld(service, { notification: { template: "liquid", headline } });
        const ada = yield* world.phone(randomUUID(), { attributes: { name: "Ada" } });
        const nobody = yield* world.phone();
        const gone = yield* world.phone(randomUUID(), { attributes: { name: "Bo" } });
        const sql = yield* SqlClient.SqlClient;
        yield* Effect.orDie(sql`UPDATE device SET address_gone_at = now() WHERE id = ${gone.id}`);
        const path = `/campaigns/${world.campaignId}/notifications/${world.notificationId}/test`;
        const device_ids = [ada.id, nobody.id, gone.id];
        const { body } = yield* world.production.platform(path, { body: { device_ids } });
        const known = [
          ["failed", "The headline renders empty for this device."],
          ["failed", "The push service has said that the device's address is gone."],
        ];
        const outcomesOf = ({ deliveries }: any) =>
          deliveries.map(({ last_error, status }: any) => [status, last_error]);
        assert.deepStrictEqual(outcomesOf(body.data), [["queued", null], ...known]);
        yield* pushed;
        const statuses = yield* Effect.forEach(body.data.deliveries as Array<any>, ({ id }) =>
          Effect.map(world.delivery(id), ({ last_error, status }) => [status, last_error]),
        );
        assert.deepStrictEqual(statuses, [["delivered", null], ...known]);
        assert.deepStrictEqual(
          service.ledger.map(({ payload }) => payload.headline),
          ["Ada"],
        );
      }),
  );
});
