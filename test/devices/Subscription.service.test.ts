import { assert, layer } from "@effect/vitest";
import { Effect } from "effect";
import { randomUUID } from "node:crypto";
import { TestWaypost } from "../TestWaypost.ts";
import { moveTo, sendWorld } from "../sending/sends/SendWorld.ts";
import { asRecorded, called, webhookWorld } from "../webhooks/WebhookWorld.ts";

type Asks = { readonly ask: (path: string, ask?: any) => Effect.Effect<any> };

const subscribe = (phone: Asks, subscribed: boolean) =>
  phone.ask("/devices/me", { method: "PATCH", body: { subscribed } });

layer(TestWaypost.layer)("Subscription", (it) => {
  it.effect("a device is subscribed until it says otherwise, and coming back keeps it (Q2.1)", () =>
    Effect.gen(function* () {
      const { production } = yield* sendWorld();
      const phone = yield* production.phone("phone");
      const answer = yield* subscribe(phone, false);
      assert.isFalse(answer.body.data.subscribed);
      const register = (fields: object = {}, token?: string) =>
        Effect.map(
          production.register("phone", { platform: "ios", ...fields }, token),
          ({ body }) => body.data.subscribed,
        );
      assert.isFalse(yield* register({}, phone.token));
      yield* phone.ask("/devices/me", { method: "DELETE" });
      assert.isFalse(yield* register());
      assert.isTrue(yield* register({ subscribed: true }));
      assert.isTrue(yield* register());
      const quiet = yield* production.register("quiet", { platform: "ios", subscribed: false });
      assert.deepStrictEqual([quiet.status, quiet.body.data.subscribed], [201, false]);
      for (const subscribed of [null, "no", 0]) {
        const refused = yield* production.register("quiet", { platform: "ios", subscribed });
        assert.deepStrictEqual(
          [refused.status, Object.keys(refused.body.error.fields)],
          [422, ["subscribed"]],
        );
      }
    }),
  );

  it.effect("an unsubscribed device gets nothing from an event, and its event is kept (Q2.2)", () =>
    Effect.gen(function* () {
      const { production } = yield* sendWorld();
      const location = yield* production.location();
      const campaign = yield* production.campaign({ location_ids: [location] });
      yield* production.notification(campaign);
      const phone = yield* production.phone();
      yield* subscribe(phone, false);
      const silent = yield* phone.sees("enter", location);
      assert.deepStrictEqual([silent.accepted, silent.deliveries], [1, []]);
      yield* subscribe(phone, true);
      assert.lengthOf((yield* phone.sees("enter", location)).deliveries, 1);
      assert.lengthOf(yield* phone.inbox(), 1);
    }),
  );

  it.effect("a send targets no unsubscribed device, with and without segments (Q2.2)", () =>
    Effect.gen(function* () {
      const { platform, production } = yield* sendWorld();
      const phone = yield* production.phone("phone", { attributes: { plan: "gold" } });
      const silent = yield* production.phone("silent", { attributes: { plan: "gold" }, subscribed: false });
      const rule = { match: "all", conditions: [{ attribute: "plan", op: "eq", value: "gold" }] };
      const segment = yield* platform.production("/segments", { body: { name: "Gold", rule } });
      for (const segmentation_ids of [[], [segment.body.data.id]]) {
        yield* production.sent(yield* production.push({ segmentation_ids }), "12:30");
      }
      yield* moveTo("2026-11-21T12:30:00Z");
      assert.deepStrictEqual(
        (yield* production.sends()).map(({ delivered, status, targeted }) => [status, targeted, delivered]),
        [
          ["done", 1, 1],
          ["done", 1, 1],
        ],
      );
      assert.lengthOf(yield* phone.inbox(), 2);
      assert.isEmpty(yield* silent.inbox());
      const estimate = yield* platform.production("/campaigns/estimate", { body: { type: "push" } });
      assert.deepInclude(estimate.body.data, { devices: 2, reachable: 1 });
      const report = yield* platform.production("/reports/summary?start=2026-11-21&end=2026-11-21");
      assert.strictEqual(report.body.data.totals.registered_devices, 2);
    }),
  );

  it.effect("segments know whether a device is subscribed (Q2.3)", () =>
    Effect.gen(function* () {
      const { platform, production } = yield* sendWorld();
      yield* production.phone("one", { subscribed: false });
      yield* production.phone("two");
      yield* production.phone("three");
      const count = (op: string, value: unknown) =>
        Effect.map(
          platform.production("/segments/count", {
            body: { rule: { match: "all", conditions: [{ attribute: "subscribed", op, value }] } },
          }),
          ({ body }) => body.data?.devices ?? Object.keys(body.error.fields),
        );
      assert.strictEqual(yield* count("eq", false), 1);
      assert.strictEqual(yield* count("ne", false), 2);
      assert.strictEqual(yield* count("in", [true, false]), 3);
      assert.strictEqual(yield* count("exists", true), 3);
      assert.deepStrictEqual(yield* count("eq", "false"), ["rule.conditions.0.value"]);
      assert.include(yield* count("gt", false), "rule.conditions.0.op");
      assert.include(yield* count("contains", "a"), "rule.conditions.0.op");
    }),
  );

  it.effect("an unsubscribed device can still answer a survey that it got (Q2.4)", () =>
    Effect.gen(function* () {
      const { production } = yield* sendWorld();
      const location = yield* production.location();
      const campaign = yield* production.campaign({ location_ids: [location] });
      const questions = [{ question_text: "Why?", type: "OPEN_ENDED", required: true }];
      yield* production.notification(campaign, { type: "survey", questions });
      const phone = yield* production.phone();
      const [message] = (yield* phone.sees("enter", location)).deliveries;
      yield* subscribe(phone, false);
      const answers = [{ question_id: message.questions[0].id, value: "Because" }];
      assert.strictEqual(
        (yield* phone.ask(`/messages/${message.id}/answers`, { body: { answers } })).status,
        200,
      );
    }),
  );

  it.effect("unsubscribed is the reason why no campaign reaches the device (S6.1, Q2.5)", () =>
    Effect.gen(function* () {
      const { production } = yield* sendWorld();
      const phone = yield* production.phone(randomUUID(), { subscribed: false });
      const campaign = yield* production.push({});
      yield* production.sent(campaign, "15:00");
      const { body } = yield* production.platform(`/devices/${phone.id}/explain`);
      assert.deepInclude(body.data[0], { reaches: false, reason: "unsubscribed" });
    }),
  );

  it.effect("webhooks hear of each change of the subscription, and of nothing else (Q2.6)", () =>
    Effect.gen(function* () {
      const { make, production, receiver } = yield* webhookWorld;
      yield* make({ events: ["device.subscribed", "device.unsubscribed"] });
      const phone = yield* production.phone("phone", { subscribed: false });
      for (const subscribed of [false, true, true, false]) yield* subscribe(phone, subscribed);
      yield* phone.ask("/devices/me", { method: "PATCH", body: { locale: "nl" } });
      yield* phone.ask("/devices/me", { method: "DELETE" });
      yield* production.register("phone", { platform: "ios", subscribed: true });
      yield* called;
      assert.deepStrictEqual(
        asRecorded(receiver.events()).map(({ data, type }) => [type, data.id, data.subscribed]),
        [
          ["device.subscribed", phone.id, true],
          ["device.unsubscribed", phone.id, false],
          ["device.subscribed", phone.id, true],
        ],
      );
    }),
  );
});
