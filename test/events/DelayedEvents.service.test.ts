import { assert, layer } from "@effect/vitest";
import { Effect } from "effect";
import { TestClock } from "effect/testing";
import { randomUUID } from "node:crypto";
import { after, withoutJobs } from "./DwellWorld.ts";
import { eventCampaign } from "./EventCampaignWorld.ts";
import { fromNow } from "../given/GivenBodies.ts";

type World = Effect.Success<ReturnType<typeof eventCampaign>>;

const erase = ({ waypost, workspace }: World, what: string) =>
  waypost.operator(`/workspaces/${workspace.id}/production/${what}`, { method: "DELETE" });

layer(withoutJobs)("Custom events with a delay", (it) => {
  it.effect("a delayed message fires at its minute, counted from when the event occurred (V4.6)", () =>
    Effect.gen(function* () {
      const { messages, phone, happen } = yield* eventCampaign({ delay_minutes: 30 });
      const occurred_at = yield* fromNow(-10 * 60_000);
      assert.deepStrictEqual(yield* happen(phone, "basket.filled", { occurred_at }), []);
      yield* after(19);
      assert.strictEqual(yield* messages(), 0);
      yield* after(1);
      assert.strictEqual(yield* messages(), 1);
      yield* after(30);
      assert.strictEqual(yield* messages(), 1);
      const old = yield* fromNow(-45 * 60_000 - 1);
      yield* happen(phone, "basket.filled", { occurred_at: old });
      yield* after(0);
      assert.strictEqual(yield* messages(), 1);
      yield* happen(phone);
      yield* after(46);
      assert.strictEqual(yield* messages(), 1);
    }),
  );

  it.effect("`unless_event` stops it if it occurred after the event, for the same person (V4.7)", () =>
    Effect.gen(function* () {
      const { messages, phone, production, send, happen } = yield* eventCampaign({
        delay_minutes: 30,
        unless_event: "order.placed",
      });
      yield* happen(phone, "order.placed", { occurred_at: yield* fromNow(-1) });
      yield* happen(phone);
      yield* after(30);
      assert.strictEqual(yield* messages(), 1);
      yield* happen(phone);
      yield* after(10);
      yield* happen(phone, "order.placed");
      yield* after(20);
      assert.strictEqual(yield* messages(), 1);
      const user_id = randomUUID();
      const [one, two] = [
        yield* production.phone(randomUUID(), { user_id }),
        yield* production.phone(randomUUID(), { user_id }),
      ];
      yield* happen(one);
      yield* send({ user_id, name: "order.placed", occurred_at: yield* fromNow(1000) });
      yield* after(30);
      assert.deepStrictEqual([yield* messages(one), yield* messages(two)], [0, 0]);
    }),
  );

  it.effect(
    "pause, end, opt-out, deletion and the words are decided at the minute, `where` before (V4.8)",
    () =>
      Effect.gen(function* () {
        const world = yield* eventCampaign({ delay_minutes: 10 });
        const { change, edit, messages, phone, production, happen } = world;
        yield* happen(phone);
        yield* change({ paused: true });
        yield* after(10);
        assert.strictEqual(yield* messages(), 0);
        yield* happen(phone);
        yield* change({ paused: false });
        const config = { event: "other", where: null, delay_minutes: 99 };
        yield* edit({ headline: "Changed", trigger_config: config });
        yield* after(10);
        assert.deepStrictEqual(
          (yield* phone.inbox()).map(({ headline }) => headline),
          ["Changed"],
        );
        yield* edit({});
        yield* happen(phone);
        yield* phone.ask("/devices/me", { method: "PATCH", body: { subscribed: false } });
        yield* after(10);
        assert.strictEqual(yield* messages(), 1);
        const other = yield* production.phone();
        yield* happen(other);
        yield* world.platform(`/campaigns/${world.campaignId}`, { method: "DELETE" });
        yield* after(10);
        assert.strictEqual(yield* messages(other), 0);
      }),
  );

  it.effect("an event before its campaign or window fires nothing at its minute (V4.8)", () =>
    Effect.gen(function* () {
      const delay = { delay_minutes: 5 };
      const fired = (campaign: object, content: object = {}) =>
        Effect.gen(function* () {
          const { messages, phone, happen } = yield* eventCampaign(delay, campaign, content);
          yield* happen(phone);
          yield* after(5);
          return yield* messages();
        });
      const [soon, later] = ["2026-11-21 12:03", "2026-11-21 12:10"];
      assert.strictEqual(yield* fired({ starts_at: "2026-11-21 12:00" }), 1);
      assert.strictEqual(yield* fired({ starts_at: soon }), 0);
      assert.strictEqual(yield* fired({}, { starts_at: soon, ends_at: later }), 0);
      assert.strictEqual(yield* fired({}, { starts_at: "2026-11-21", ends_at: later }), 1);
      assert.strictEqual(yield* fired({}, { starts_at: "2026-11-21", ends_at: soon }), 0);
    }),
  );

  it.effect("a delayed event of a person goes to the device that may get it at the minute (V4.9)", () =>
    Effect.gen(function* () {
      const { messages, production, send } = yield* eventCampaign({ delay_minutes: 5 });
      const user_id = randomUUID();
      const first = yield* production.phone(randomUUID(), { user_id });
      yield* TestClock.adjust("1 minute");
      const second = yield* production.phone(randomUUID(), { user_id });
      yield* send({ user_id });
      yield* second.ask("/devices/me", { method: "PATCH", body: { subscribed: false } });
      yield* after(5);
      assert.deepStrictEqual([yield* messages(first), yield* messages(second)], [1, 0]);
    }),
  );

  it.effect("a device gets a delayed message if it is registered at the minute, also again (V4.8)", () =>
    Effect.gen(function* () {
      const { happen, messages, production } = yield* eventCampaign({ delay_minutes: 5 });
      const installations = [randomUUID(), randomUUID()] as const;
      for (const installation of installations) {
        const phone = yield* production.phone(installation);
        yield* happen(phone);
        yield* TestClock.adjust("1 minute");
        yield* phone.ask("/devices/me", { method: "DELETE" });
      }
      const back = yield* production.phone(installations[0]);
      yield* after(4);
      const late = yield* production.phone(installations[1]);
      assert.deepStrictEqual([yield* messages(back), yield* messages(late)], [1, 0]);
    }),
  );

  it.effect("erasing a device takes no delayed event of its person away (V4.9)", () =>
    Effect.gen(function* () {
      const world = yield* eventCampaign({ delay_minutes: 5 });
      const { messages, production, send } = world;
      const user_id = randomUUID();
      const first = yield* production.phone(randomUUID(), { user_id });
      yield* TestClock.adjust("1 minute");
      const second = yield* production.phone(randomUUID(), { user_id });
      yield* send({ user_id });
      yield* erase(world, `devices/${second.id}`);
      yield* after(5);
      assert.strictEqual(yield* messages(first), 1);
    }),
  );

  it.effect("erasing a person takes their delayed events away, also on a phone of somebody else (V3.8)", () =>
    Effect.gen(function* () {
      const world = yield* eventCampaign({ delay_minutes: 5 });
      const { happen, messages, production } = world;
      const user_id = randomUUID();
      const installation = randomUUID();
      const phone = yield* production.phone(installation, { user_id });
      yield* happen(phone);
      const body = { platform: "android", user_id: randomUUID() };
      const moved = yield* production.register(installation, body, phone.token);
      assert.strictEqual(moved.status, 200);
      yield* erase(world, `people/${user_id}`);
      yield* after(5);
      assert.strictEqual(yield* messages(phone), 0);
    }),
  );
});
