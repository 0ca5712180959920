import { assert, layer } from "@effect/vitest";
import { Effect } from "effect";
import { randomUUID } from "node:crypto";
import { experimentOf, personIn, variants } from "../sending/arms/ArmsWorld.ts";
import { after, withoutJobs } from "./DwellWorld.ts";
import { eventCampaign } from "./EventCampaignWorld.ts";

const holdout_percent = 30;
const arms = ["holdout", "b", "control"] as const;
const words = { holdout: [], b: ["Hello B"], control: ["Hello"] };

/** An event campaign with an experiment, and a phone in each of its arms. */
const world = (trigger: object = {}) =>
  Effect.gen(function* () {
    const made = yield* eventCampaign(trigger, { holdout_percent }, { variants });
    const { campaignId, notificationId, production } = made;
    const phones = yield* Effect.forEach(arms, (arm) => {
      const user_id = personIn(arm, campaignId, holdout_percent, notificationId);
      return Effect.map(production.phone(randomUUID(), { user_id }), (phone) => ({ arm, user_id, phone }));
    });
    const headlines = Effect.forEach(phones, ({ phone }) =>
      Effect.map(phone.inbox(), (messages) => messages.map(({ headline }) => headline as string)),
    );
    /** The arms of the people who are enrolled. */
    const enrolled = Effect.map(experimentOf(campaignId), ({ enrolments }) =>
      enrolments.map(({ arm, unit }) => [unit, arm]),
    );
    const all = phones.map(({ arm, user_id }) => [`user:${user_id}`, arm]);
    return { ...made, phones, headlines, enrolled, all };
  });

layer(withoutJobs)("Experiments of event campaigns", (it) => {
  it.effect("an event enrols its unit in its arm once, and the held out get nothing (U3, U4, V4.3)", () =>
    Effect.gen(function* () {
      const { all, campaignId, enrolled, happen, headlines, phones, send } = yield* world();
      for (const { arm, phone } of phones) assert.deepStrictEqual(yield* happen(phone), words[arm]);
      for (const { user_id } of phones) assert.strictEqual((yield* send({ user_id })).accepted, 1);
      assert.deepStrictEqual(
        yield* headlines,
        arms.map((arm) => [...words[arm], ...words[arm]]),
      );
      assert.sameDeepMembers(yield* enrolled, all);
      const { counts, deliveries } = yield* experimentOf(campaignId);
      assert.deepStrictEqual(counts, { all: 2, holdout: 1, "/b": 1, "/control": 1 });
      assert.sameMembers(
        deliveries.map(({ variant }) => variant),
        ["b", "b", "control", "control"],
      );
    }),
  );

  it.effect("a delayed message enrols at its minute, in the experiment as it is then (U4)", () =>
    Effect.gen(function* () {
      const { all, campaignId, enrolled, happen, headlines, phones, platform, send } = yield* world({
        delay_minutes: 10,
      });
      for (const { phone } of phones) yield* happen(phone);
      assert.isEmpty(yield* enrolled);
      yield* after(10);
      assert.sameDeepMembers(yield* enrolled, all);
      const once = arms.map((arm) => words[arm]);
      assert.deepStrictEqual(yield* headlines, once);
      for (const { user_id } of phones) yield* send({ user_id });
      const stopped = yield* platform(`/campaigns/${campaignId}/experiment/stop`, { body: { winner: null } });
      assert.strictEqual(stopped.status, 200);
      yield* after(10);
      assert.deepStrictEqual(
        yield* headlines,
        once.map((before) => ["Hello", ...before]),
      );
      assert.sameDeepMembers(yield* enrolled, all);
    }),
  );

  it.effect(
    "a device without a person is a unit, and a message that may not fire enrols nobody (U3, U4)",
    () =>
      Effect.gen(function* () {
        const { change, enrolled, happen, phone } = yield* world({ delay_minutes: 10 });
        yield* happen(phone);
        yield* change({ paused: true, holdout_percent });
        yield* after(10);
        assert.isEmpty(yield* enrolled);
        yield* change({ paused: false, holdout_percent });
        yield* happen(phone);
        yield* after(10);
        assert.deepStrictEqual(
          (yield* enrolled).map(([unit]) => unit),
          [`device:${phone.id}`],
        );
      }),
  );

  it.effect("several messages of a request enrol their units in the campaign, too, in any order (U4)", () =>
    Effect.gen(function* () {
      const { campaignId, platform, production } = yield* eventCampaign({}, {}, { variants });
      const trigger = { trigger_type: "on_event", trigger_config: { event: "basket.filled" } };
      yield* production.notification(campaignId, { ...trigger, variants });
      const phones = yield* Effect.forEach(Array.from({ length: 40 }), () => production.phone());
      const events = phones.flatMap(({ id: device_id }) =>
        Array.from({ length: 4 }, () => ({ id: randomUUID(), name: "basket.filled", device_id })),
      );
      const { body } = yield* platform("/events", { body: { events } });
      assert.strictEqual(body.data.accepted, events.length);
      const { counts, deliveries } = yield* experimentOf(campaignId);
      assert.lengthOf(deliveries, 2 * events.length);
      assert.strictEqual(counts["all"], phones.length);
    }),
  );
});
