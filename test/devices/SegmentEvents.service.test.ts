import { assert, layer } from "@effect/vitest";
import { Effect } from "effect";
import { TestClock } from "effect/testing";
import { randomUUID } from "node:crypto";
import { fromNow } from "../given/GivenBodies.ts";
import { givenWorkspace } from "../given/GivenWorkspace.ts";
import { TestWaypost, testStart } from "../TestWaypost.ts";

const day = 86_400_000;

layer(TestWaypost.layer)("Segments that ask for events", (it) => {
  it.effect(
    "a condition holds the devices whose person, or that without one, had the event or not (V3.9)",
    () =>
      Effect.gen(function* () {
        yield* TestClock.setTime(testStart);
        const { production } = yield* givenWorkspace();
        const { phone, platform } = production;
        const user_id = randomUUID();
        const [one] = [yield* phone(randomUUID(), { user_id }), yield* phone(randomUUID(), { user_id })];
        const [other, never] = [yield* phone(), yield* phone(randomUUID(), { attributes: { plan: "gold" } })];
        const happen = (device: typeof one, age: number, properties: object) =>
          Effect.flatMap(fromNow(-age), (occurred_at) =>
            device.report([
              { id: randomUUID(), type: "custom", name: "order.placed", occurred_at, properties },
            ]),
          );
        yield* happen(one, 2 * day, { total: 60, currency: "EUR" });
        yield* happen(other, 10 * day, { total: 20 });
        const count = (...conditions: ReadonlyArray<object>) =>
          Effect.map(
            platform("/segments/count", { body: { rule: { match: "all", conditions } } }),
            ({ body }) => body.data?.devices ?? Object.keys(body.error.fields),
          );
        const event = { event: "order.placed", op: "happened", within_days: 30 };
        const where = (value: number) => ({
          match: "all",
          conditions: [{ attribute: "total", op: "gte", value }],
        });
        assert.strictEqual(yield* count(event), 3);
        assert.strictEqual(yield* count({ ...event, op: "not_happened" }), 1);
        assert.strictEqual(yield* count({ ...event, within_days: 9 }), 2);
        assert.strictEqual(yield* count({ ...event, within_days: 1 }), 0);
        assert.strictEqual(yield* count({ ...event, where: where(50) }), 2);
        assert.strictEqual(yield* count({ ...event, event: "other" }), 0);
        const gold = { attribute: "plan", op: "eq", value: "gold" };
        assert.strictEqual(yield* count({ ...event, op: "not_happened" }, gold), 1);
        assert.strictEqual(yield* count(event, gold), 0);
        const wrong = { event: "No", op: "did", within_days: 91, where: { match: "all", conditions: [] } };
        assert.deepStrictEqual(yield* count(wrong), [
          "rule.conditions.0.event",
          "rule.conditions.0.op",
          "rule.conditions.0.within_days",
          "rule.conditions.0.where.conditions",
        ]);
        const rule = { match: "any", conditions: [{ ...event, where: where(50) }, gold] };
        const created = yield* platform("/segments", { body: { name: randomUUID(), rule } });
        assert.deepStrictEqual([created.body.data.rule, created.body.data.device_count], [rule, 3]);
        const campaign = yield* production.campaign({
          type: "push",
          segmentation_ids: [created.body.data.id],
        });
        const explained = (device: typeof one) =>
          Effect.map(
            platform(`/devices/${device.id}/explain?campaign=${campaign}`),
            ({ body }) => body.data[0].reason === "not_in_segment",
          );
        yield* production.notification(campaign, {
          trigger_type: "fixed_time",
          trigger_config: { send_at: "23:00" },
        });
        assert.deepStrictEqual(yield* Effect.forEach([one, other, never], explained), [false, true, false]);
      }),
  );
});
