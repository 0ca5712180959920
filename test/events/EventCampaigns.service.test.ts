import { assert, layer } from "@effect/vitest";
import { Clock, Effect } from "effect";
import { TestClock } from "effect/testing";
import { randomUUID } from "node:crypto";
import { EventTriggersSql } from "../../src/events/custom/EventTriggersSql.ts";
import { triggerSpan } from "../../src/events/Transition.ts";
import { withoutJobs } from "./DwellWorld.ts";
import { eventCampaign } from "./EventCampaignWorld.ts";
import { fromNow } from "../given/GivenBodies.ts";

const once = { frequency_cap_count: 1, frequency_cap_period: "day" };

layer(withoutJobs)("Event campaigns", (it) => {
  it.effect("an event fires the notifications that name it, for its device, at once (V4.1)", () =>
    Effect.gen(function* () {
      const { messages, phone, happen } = yield* eventCampaign();
      assert.deepStrictEqual(yield* happen(phone), ["Hello"]);
      assert.deepStrictEqual(yield* happen(phone, "basket.emptied"), []);
      assert.strictEqual(yield* messages(), 1);
    }),
  );

  it.effect("the properties must meet `where`, a rule as that of a segment (V4.2)", () =>
    Effect.gen(function* () {
      const where = {
        match: "all",
        conditions: [
          { attribute: "total", op: "gte", value: 50 },
          { attribute: "currency", op: "in", value: ["EUR", "USD"] },
        ],
      };
      const { phone, happen } = yield* eventCampaign({ where });
      const of = (properties: object) => happen(phone, "basket.filled", { properties });
      assert.deepStrictEqual(yield* of({ total: 50, currency: "EUR" }), ["Hello"]);
      assert.deepStrictEqual(yield* of({ total: 49, currency: "EUR" }), []);
      assert.deepStrictEqual(yield* of({ total: "50", currency: "EUR" }), []);
      assert.deepStrictEqual(yield* of({ total: 50 }), []);
    }),
  );

  it.effect(
    "dates, windows, pause, segments and caps hold, and an event over 15 minutes old fires nothing (V4.3)",
    () =>
      Effect.gen(function* () {
        const world = yield* eventCampaign({}, once, { ends_at: "2026-11-21 12:30" });
        const { change, phone, platform, production, happen } = world;
        const late = yield* fromNow(-15 * 60_000 - 1);
        assert.deepStrictEqual(yield* happen(phone, "basket.filled", { occurred_at: late }), []);
        yield* change({ ...once, paused: true });
        assert.deepStrictEqual(yield* happen(phone), []);
        yield* change({ ...once, paused: false });
        const rule = { match: "all", conditions: [{ attribute: "plan", op: "eq", value: "gold" }] };
        const segment = yield* platform("/segments", { body: { name: randomUUID(), rule } });
        yield* change({ ...once, segmentation_ids: [segment.body.data.id] });
        assert.deepStrictEqual(yield* happen(phone), []);
        const gold = yield* production.phone(randomUUID(), { attributes: { plan: "gold" } });
        assert.deepStrictEqual(yield* happen(gold), ["Hello"]);
        assert.deepStrictEqual(yield* happen(gold), []);
        yield* change(once);
        yield* TestClock.adjust("31 minutes");
        assert.deepStrictEqual(yield* happen(phone), []);
      }),
  );

  it.effect("only campaigns that can fire are read for an event, with a delay that much longer (V4.3)", () =>
    Effect.gen(function* () {
      const triggers = yield* EventTriggersSql;
      const ends = { ends_at: "2026-11-21 12:30" };
      const world = yield* eventCampaign({}, ends);
      const delayed = yield* eventCampaign({ delay_minutes: 20 }, ends);
      /** How many notifications are read for an event so many minutes from now. */
      const read = ({ production: { environment, workspaceId } }: typeof world, minutes: number) =>
        Effect.gen(function* () {
          const span = triggerSpan([(yield* Clock.currentTimeMillis) + minutes * 60_000]);
          return (yield* triggers.ofNames([{ environment, workspaceId, name: "basket.filled" }], span))
            .length;
        });
      const minutes = [-720 - 6, -720 - 5, 0, 45, 46, 65, 66];
      assert.deepStrictEqual(
        yield* Effect.forEach(minutes, (each) => read(world, each)),
        [0, 1, 1, 1, 0, 0, 0],
      );
      assert.deepStrictEqual(
        yield* Effect.forEach(minutes, (each) => read(delayed, each)),
        [0, 1, 1, 1, 1, 1, 0],
      );
      for (const each of [world, delayed]) yield* each.change({ ...ends, paused: true });
      assert.deepStrictEqual([yield* read(world, 0), yield* read(delayed, 0)], [0, 1]);
    }).pipe(Effect.provide(EventTriggersSql.layer)),
  );

  it.effect("an event of a person goes to the device seen last that may get it (V4.4)", () =>
    Effect.gen(function* () {
      const { messages, production, send } = yield* eventCampaign();
      const user_id = randomUUID();
      const first = yield* production.phone(randomUUID(), { user_id });
      yield* TestClock.adjust("1 minute");
      const second = yield* production.phone(randomUUID(), { user_id });
      assert.strictEqual((yield* send({ user_id })).accepted, 1);
      assert.deepStrictEqual([yield* messages(first), yield* messages(second)], [0, 1]);
      yield* second.ask("/devices/me", { method: "PATCH", body: { subscribed: false } });
      yield* send({ user_id });
      assert.deepStrictEqual([yield* messages(first), yield* messages(second)], [1, 1]);
      yield* first.ask("/devices/me", { method: "PATCH", body: { subscribed: false } });
      assert.strictEqual((yield* send({ user_id })).accepted, 1);
      assert.deepStrictEqual([yield* messages(first), yield* messages(second)], [1, 1]);
    }),
  );

  it.effect("templates show the properties of the event, also later, and nothing without them (V4.5)", () =>
    Effect.gen(function* () {
      const content = {
        template: "liquid",
        headline: "{{ event.total }} {{ event.gift }}{{ event.none }}.",
      };
      const { campaignId, notificationId, phone, platform, happen } = yield* eventCampaign({}, {}, content);
      const properties = { total: 59.5, gift: true };
      assert.deepStrictEqual(yield* happen(phone, "basket.filled", { properties }), ["59.5 true."]);
      assert.strictEqual((yield* phone.inbox())[0].headline, "59.5 true.");
      const preview = (event?: object) =>
        platform("/notifications/preview", {
          body: { campaign_id: campaignId, notification_id: notificationId, ...(event && { event }) },
        });
      assert.strictEqual((yield* preview({ total: 3 })).body.data.message.headline, "3 .");
      assert.strictEqual((yield* preview()).body.data.message.headline, ".");
      assert.deepStrictEqual(Object.keys((yield* preview({ a: null })).body.error.fields), ["event"]);
    }),
  );

  it.effect("a test message has no location, as those of events (V4.10, O4.1)", () =>
    Effect.gen(function* () {
      const content = { template: "liquid", headline: "Hi{{ location.name }}" };
      const { campaignId, location, notificationId, phone, platform } = yield* eventCampaign({}, {}, content);
      yield* platform(`/devices/${phone.id}`, { method: "PATCH", body: { approved: true } });
      const { status } = yield* platform(`/campaigns/${campaignId}/notifications/${notificationId}/test`, {
        body: { device_ids: [phone.id], location_id: yield* location() },
      });
      assert.strictEqual(status, 202);
      assert.strictEqual((yield* phone.inbox())[0].headline, "Hi");
      const { body } = yield* platform(`/deliveries?campaign=${campaignId}`);
      assert.deepStrictEqual([body.data[0].test, body.data[0].location_id], [true, null]);
    }),
  );

  it.effect(
    "quiet hours hold a message of an event, and explain and reports know event campaigns (V4.10)",
    () =>
      Effect.gen(function* () {
        const { campaignId, change, phone, platform, happen } = yield* eventCampaign();
        const explained = () =>
          Effect.map(
            platform(`/devices/${phone.id}/explain?campaign=${campaignId}`),
            ({ body }) => body.data[0],
          );
        const { reaches, type } = yield* explained();
        assert.deepStrictEqual([reaches, type], [true, "event"]);
        assert.deepStrictEqual(yield* happen(phone), ["Hello"]);
        const rows = yield* platform(`/reports/notifications?activation=on_event&campaign=${campaignId}`);
        assert.deepStrictEqual(
          rows.body.data.map(({ delivered }: any) => delivered),
          [1],
        );
        yield* change({ quiet_hours: { from: "11:00", to: "13:00", action: "hold" } });
        assert.strictEqual((yield* explained()).reason, "quiet_hours");
        yield* happen(phone);
        const { body } = yield* platform(`/deliveries?campaign=${campaignId}`);
        assert.deepStrictEqual(
          body.data.map((each: any) => [each.status, each.trigger_type, each.location_id]),
          [
            ["held", "on_event", null],
            ["delivered", "on_event", null],
          ],
        );
      }),
  );

  it.effect(
    "an event campaign takes segments, no locations, cooldown or pace, and triggers of its own (V4.11)",
    () =>
      Effect.gen(function* () {
        const { campaignId, location, platform } = yield* eventCampaign();
        const store = yield* location();
        const draft = { name: randomUUID(), type: "event", timezone: "UTC", starts_at: "2026-11-21" };
        const fieldsOf = (path: string, body: object) =>
          Effect.map(platform(path, { body }), (answer) => Object.keys(answer.body.error?.fields ?? {}));
        const campaign = (more: object) => fieldsOf("/campaigns", { ...draft, ...more });
        assert.deepStrictEqual(yield* campaign({ location_ids: [store] }), ["location_ids"]);
        assert.deepStrictEqual(yield* campaign({ cooldown_minutes: 5 }), ["cooldown_minutes"]);
        assert.deepStrictEqual(yield* campaign({ max_per_minute: 5 }), ["max_per_minute"]);
        const content = { name: "Note", type: "message", headline: "Hello", body: "World" };
        const note = (trigger_type: string, trigger_config: unknown, more: object = {}) =>
          fieldsOf(`/campaigns/${campaignId}/notifications`, {
            ...content,
            trigger_type,
            trigger_config,
            ...more,
          });
        assert.deepStrictEqual(yield* note("on_enter", null), ["trigger_type"]);
        assert.deepStrictEqual(yield* note("on_event", null), ["trigger_config.event"]);
        assert.deepStrictEqual(yield* note("on_event", { event: "No" }), ["trigger_config.event"]);
        assert.deepStrictEqual(yield* note("on_event", { event: "a", delay_minutes: 43_201 }), [
          "trigger_config.delay_minutes",
        ]);
        assert.deepStrictEqual(yield* note("on_event", { event: "a", minutes: 5, send_at: "09:00" }), [
          "trigger_config.minutes",
          "trigger_config.send_at",
        ]);
        const condition = { attribute: "total", op: "between", value: 5 };
        assert.deepStrictEqual(
          yield* note("on_event", { event: "a", where: { match: "all", conditions: [condition] } }),
          ["trigger_config.where.conditions.0.op"],
        );
        assert.deepStrictEqual(yield* note("on_event", { event: "a" }, { ends_at: "2026-11-20" }), [
          "ends_at",
        ]);
      }),
  );

  it.effect("the trigger is shown as it was written (V4.12)", () =>
    Effect.gen(function* () {
      const config = {
        where: { match: "any", conditions: [{ attribute: "platform", op: "exists", value: true }] },
        delay_minutes: 0,
        unless_event: "order.placed",
      };
      const { campaignId, edit, platform } = yield* eventCampaign(config);
      const shown = () =>
        Effect.map(
          platform(`/campaigns/${campaignId}/notifications`),
          ({ body }) => body.data[0].trigger_config,
        );
      assert.deepStrictEqual(yield* shown(), { event: "basket.filled", ...config });
      yield* edit({ trigger_config: { event: "basket.filled" } });
      assert.deepStrictEqual(yield* shown(), { event: "basket.filled" });
    }),
  );
});
