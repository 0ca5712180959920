import { assert, layer } from "@effect/vitest";
import { Effect } from "effect";
import { TestClock } from "effect/testing";
import { TestWaypost } from "../../TestWaypost.ts";
import { lookAgain, moveTo, sendWorld } from "../SendWorld.ts";

layer(TestWaypost.layer)("When the machine's clock is set by hours,", (it) => {
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
    "forward: what was due in between is sent once, at once, and what comes later at its minute (L2)",
    () =>
      Effect.gen(function* () {
        const { most, statuses } = yield* planned;
        yield* moveTo("2026-11-21T19:00:00Z");
        assert.sameMembers(yield* statuses, ["done", "done", "scheduled"]);
        assert.strictEqual(yield* most, 2);
        // Past the day: the last one is missed, and told of.
        yield* moveTo("2026-11-22T00:00:01Z");
        assert.sameMembers(yield* statuses, ["done", "done", "missed"]);
        assert.strictEqual(yield* most, 2);
      }),
  );

  it.effect(
    "back: what was sent is not sent again, and what waits is sent once when its minute comes (L2, L5)",
    () =>
      Effect.gen(function* () {
        const { most, statuses } = yield* planned;
        yield* moveTo("2026-11-21T12:30:00Z");
        assert.sameMembers(yield* statuses, ["done", "scheduled", "scheduled"]);
        yield* TestClock.setTime(Date.parse("2026-11-21T09:00:00Z"));
        yield* lookAgain;
        assert.sameMembers(yield* statuses, ["done", "scheduled", "scheduled"]);
        yield* moveTo("2026-11-21T12:30:00Z");
        assert.sameMembers(yield* statuses, ["done", "scheduled", "scheduled"]);
        yield* moveTo("2026-11-21T15:00:00Z");
        assert.sameMembers(yield* statuses, ["done", "done", "scheduled"]);
        assert.strictEqual(yield* most, 2);
      }),
  );
});
