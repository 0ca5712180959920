import { assert, layer } from "@effect/vitest";
import { Effect } from "effect";
import { TestClock } from "effect/testing";
import { randomUUID } from "node:crypto";
import { eventCampaign } from "../events/EventCampaignWorld.ts";
import { testStart, TestWaypost } from "../TestWaypost.ts";
import { hour, iso } from "./EnrolledWorld.ts";

const goal = { type: "event", within_hours: 2, event: "basket.filled" };

/** A campaign that fires on the event that is its goal, with everybody in the variant or its control. */
const world = (more: object = {}) =>
  Effect.gen(function* () {
    const made = yield* eventCampaign({}, { goal: { ...goal, ...more }, holdout_percent: 1 });
    const { campaignId, platform } = made;
    const converted = Effect.map(platform(`/campaigns/${campaignId}/experiment`), ({ body }) =>
      body.data.arms.reduce((sum: number, arm: { converted: number }) => sum + arm.converted, 0),
    );
    return { ...made, converted };
  });

layer(TestWaypost.layer)("Goals that are custom events", (it) => {
  it.effect("the event that enrols a unit does not convert it, and the next one does, once (V5, Z33)", () =>
    Effect.gen(function* () {
      const { converted, happen, phone } = yield* world();
      const first = { id: randomUUID() };
      yield* happen(phone, goal.event, first);
      assert.strictEqual(yield* converted, 0);
      yield* TestClock.setTime(testStart + hour);
      yield* happen(phone, goal.event, { ...first, occurred_at: iso(testStart + hour) });
      yield* happen(phone, "other");
      assert.strictEqual(yield* converted, 0);
      yield* happen(phone);
      yield* happen(phone);
      assert.strictEqual(yield* converted, 1);
    }),
  );

  it.effect("a server's event of the person converts within the hours, whoever of the devices (V5)", () =>
    Effect.gen(function* () {
      const { converted, happen, production, send } = yield* world();
      const user_id = randomUUID();
      const one = yield* production.phone(randomUUID(), { user_id });
      const two = yield* production.phone(randomUUID(), { user_id });
      yield* happen(one);
      yield* TestClock.setTime(testStart + 3 * hour);
      yield* send({ user_id, occurred_at: iso(testStart) });
      yield* send({ user_id, occurred_at: iso(testStart + 2 * hour + 1) });
      yield* happen(two, goal.event, { occurred_at: iso(testStart + 2 * hour + 1) });
      yield* send({ user_id: randomUUID(), occurred_at: iso(testStart + hour) });
      assert.strictEqual(yield* converted, 0);
      assert.strictEqual((yield* send({ user_id, occurred_at: iso(testStart + 2 * hour) })).accepted, 1);
      assert.strictEqual(yield* converted, 1);
    }),
  );

  it.effect("an event in one request with the event that enrols occurred before the enrolment (Z33)", () =>
    Effect.gen(function* () {
      const { converted, phone } = yield* world();
      const event = (millis: number) => ({
        id: randomUUID(),
        type: "custom",
        name: goal.event,
        occurred_at: iso(testStart + millis),
      });
      yield* phone.report([event(-2), event(-1)]);
      assert.strictEqual(yield* converted, 0);
    }),
  );
});
