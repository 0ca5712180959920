import { assert, layer } from "@effect/vitest";
import { Effect } from "effect";
import { randomUUID } from "node:crypto";
import { TestWaypost } from "../TestWaypost.ts";
import { campaignWorld, geo, push } from "./CampaignWorld.ts";

const world = Effect.gen(function* () {
  const made = yield* campaignWorld();
  const create = (fields: object) =>
    made.sandbox("/campaigns", { body: push({ name: randomUUID(), ...fields }) });
  return {
    ...made,
    create,
    problems: (fields: object) =>
      Effect.map(create(fields), ({ body, status }) =>
        status === 422 ? Object.keys(body.error.fields).toSorted() : [status],
      ),
  };
});

layer(TestWaypost.layer)("Holdouts and goals of campaigns", (it) => {
  it.effect("a holdout is 0 to 50 percent with at most two decimals, and 0 without one (U2, Z3)", () =>
    Effect.gen(function* () {
      const { create, sandbox } = yield* world;
      for (const [sent, shown] of [
        [0, 0],
        [50, 50],
        [12.34, 12.34],
        [0.01, 0.01],
        [null, 0],
        [undefined, 0],
      ] as const) {
        const made = yield* create({ holdout_percent: sent });
        assert.deepStrictEqual([made.status, made.body.data?.holdout_percent], [201, shown]);
      }
      for (const wrong of [-1, 50.01, 51, 1.234, "10", true, {}]) {
        const refused = yield* create({ holdout_percent: wrong });
        assert.deepStrictEqual(refused.body.error?.fields, {
          holdout_percent: ["The holdout percent must be a number from 0 to 50, with at most two decimals."],
        });
      }
      const made = yield* create({ holdout_percent: 10 });
      const { name } = made.body.data;
      const path = `/campaigns/${made.body.data.id}`;
      const cleared = yield* sandbox(path, { method: "PATCH", body: push({ name }) });
      assert.strictEqual(cleared.body.data.holdout_percent, 0);
    }),
  );

  it.effect("a goal is shown as it was sent, each location once, and an update clears it (U5)", () =>
    Effect.gen(function* () {
      const { create, location, sandbox } = yield* world;
      const shop = yield* location();
      for (const type of ["opened", "clicked", "answered", "visit"]) {
        const goal = { type, within_hours: 720 };
        const made = yield* create({ goal });
        assert.deepStrictEqual([made.status, made.body.data?.goal], [201, goal]);
      }
      const bought = { type: "event", within_hours: 24, event: "order.placed" };
      assert.deepStrictEqual((yield* create({ goal: bought })).body.data.goal, bought);
      const goal = { type: "visit", within_hours: 1, location_ids: [shop.toUpperCase(), shop] };
      const made = yield* create({ goal: { ...goal, location_group_ids: [] } });
      assert.deepStrictEqual(made.body.data.goal, { ...goal, location_ids: [shop] });
      const { id, name } = made.body.data;
      const cleared = yield* sandbox(`/campaigns/${id}`, {
        method: "PATCH",
        body: push({ name, goal: null }),
      });
      assert.isNull(cleared.body.data.goal);
      const visited = yield* sandbox("/campaigns", {
        body: geo([shop], { name: randomUUID(), goal: { type: "visit", within_hours: 24 } }),
      });
      assert.strictEqual(visited.status, 201);
    }),
  );

  it.effect("what is wrong with a goal is named at its field (U5, V5)", () =>
    Effect.gen(function* () {
      const { location, problems } = yield* world;
      const shop = yield* location();
      const visit = (fields: object) => ({ goal: { type: "visit", within_hours: 24, ...fields } });
      const cases: ReadonlyArray<readonly [object, ReadonlyArray<unknown>]> = [
        [{ goal: "visit" }, ["goal"]],
        [{ goal: {} }, ["goal.type", "goal.within_hours"]],
        [visit({ type: "bought" }), ["goal.type"]],
        [visit({ within_hours: 0 }), ["goal.within_hours"]],
        [visit({ within_hours: 721 }), ["goal.within_hours"]],
        [visit({ within_hours: 1.5 }), ["goal.within_hours"]],
        [visit({ location_ids: [shop, randomUUID(), "x"] }), ["goal.location_ids.1", "goal.location_ids.2"]],
        [visit({ location_group_ids: [randomUUID()] }), ["goal.location_group_ids.0"]],
        [visit({ type: "opened", location_ids: [shop] }), ["goal.location_ids"]],
        [visit({ type: "clicked", location_group_ids: [] }), [201]],
        [visit({ type: "event" }), ["goal.event"]],
        [visit({ type: "event", event: null }), ["goal.event"]],
        [visit({ type: "event", event: "Order placed" }), ["goal.event"]],
        [visit({ type: "event", event: "a".repeat(65) }), ["goal.event"]],
        [visit({ type: "event", event: "a", location_ids: [shop] }), ["goal.location_ids"]],
        [visit({ event: "order.placed" }), ["goal.event"]],
        [visit({ type: "opened", event: null }), [201]],
      ];
      for (const [fields, expected] of cases)
        assert.deepStrictEqual(yield* problems(fields), expected, JSON.stringify(fields));
    }),
  );
});
