import { assert, layer } from "@effect/vitest";
import { Effect } from "effect";
import { TestClock } from "effect/testing";
import { TestWaypost } from "../../TestWaypost.ts";
import { pollAgain, moveTo, sendWorld } from "../sends/SendWorld.ts";

layer(TestWaypost.layer)("Clock steps", (it) => {
  const planned = Effect.gen(function* () {
    const { production } = yield* sendWorld();
    yield* production.crowd(3);
    const campaign = yield* production.push();
    for (const at of ["12:30", "15:00", "22:00"]) yield* production.sent(campaign, at);
    const statuses = Effect.map(production.sends(), (sends) => sends.map(({ status }: any) => status));
    const most = Effect.map(production.deliveries, ([first]) => first?.count ?? 0);
    return { statuses, most };
  });

  it.effect(
    "after a step forward by hours, due sends run once at once, later ones at their minute (L2)",
    () =>
      Effect.gen(function* () {
        const { most, statuses } = yield* planned;
        yield* moveTo("2026-11-21T19:00:00Z");
        assert.sameMembers(yield* statuses, ["done", "done", "scheduled"]);
        assert.strictEqual(yield* most, 2);
        // After the campaign's day the last one is missed.
        yield* moveTo("2026-11-22T00:00:01Z");
        assert.sameMembers(yield* statuses, ["done", "done", "missed"]);
        assert.strictEqual(yield* most, 2);
      }),
  );

  it.effect("after a step back by hours, finished sends do not run again, others run once (L2, L5)", () =>
    Effect.gen(function* () {
      const { most, statuses } = yield* planned;
      yield* moveTo("2026-11-21T12:30:00Z");
      assert.sameMembers(yield* statuses, ["done", "scheduled", "scheduled"]);
      yield* TestClock.setTime(Date.parse("2026-11-21T09:00:00Z"));
      yield* pollAgain;
      assert.sameMembers(yield* statuses, ["done", "scheduled", "scheduled"]);
      yield* moveTo("2026-11-21T12:30:00Z");
      assert.sameMembers(yield* statuses, ["done", "scheduled", "scheduled"]);
      yield* moveTo("2026-11-21T15:00:00Z");
      assert.sameMembers(yield* statuses, ["done", "done", "scheduled"]);
      assert.strictEqual(yield* most, 2);
    }),
  );
});
