import { assert, layer } from "@effect/vitest";
import { Effect } from "effect";
import { TestWaypost } from "../../TestWaypost.ts";
import { giveAndSend, mostInAMinute, paceWorld, passSeconds } from "./PaceWorld.ts";

layer(TestWaypost.layer)("Sends with a pace", (it) => {
  it.effect("no minute has more deliveries than the pace, and each uses 95 % of it (T5)", () =>
    Effect.gen(function* () {
      const { handedOver, planned, sends, start } = yield* paceWorld(150);
      yield* planned({ max_per_minute: 60 });
      yield* start;
      yield* passSeconds(0, 125);
      const seconds = yield* handedOver();
      assert.isAtMost(mostInAMinute(seconds), 60);
      for (const minute of [0, 1])
        assert.isAtLeast(seconds.filter((at) => at < 60 * (minute + 1)).length, 57 * (minute + 1));
      const [send] = yield* sends();
      assert.deepInclude(send, { status: "running", targeted: 150, delivered: seconds.length, pace: 60 });
      yield* passSeconds(125, 165);
      assert.strictEqual((yield* sends())[0].status, "done");
      assert.lengthOf(yield* handedOver(), 150);
    }),
  );

  it.effect("a workspace's limit holds for all its sends together, by due time (T5, Y31)", () =>
    Effect.gen(function* () {
      const { handedOver, planned, setLimit, start } = yield* paceWorld(40);
      yield* setLimit(60);
      const first = yield* planned();
      const second = yield* planned();
      yield* start;
      yield* passSeconds(0, 75);
      assert.isAtMost(mostInAMinute(yield* handedOver()), 60);
      const last = Math.max(...(yield* handedOver(first)));
      // By then it had waited for half a minute.
      const early = (yield* handedOver(second)).filter((at) => at < last);
      assert.isAtLeast(early.length, 1);
      assert.isAtMost(early.length, 3);
      assert.isAtMost(Math.min(...early), 31);
      assert.lengthOf(yield* handedOver(), 80 - 80 + (yield* handedOver()).length);
    }),
  );

  it.effect("a change of the limit holds at once, and what was handed over before counts (T5, Y11)", () =>
    Effect.gen(function* () {
      const { campaign: _campaign, handedOver, planned, setLimit, sends, start } = yield* paceWorld(100);
      yield* setLimit(600);
      yield* planned();
      yield* start;
      yield* passSeconds(0, 3);
      const before = (yield* handedOver()).length;
      assert.isAtLeast(before, 20);
      yield* setLimit(before);
      yield* passSeconds(3, 60);
      assert.lengthOf(yield* handedOver(), before);
      assert.strictEqual((yield* sends())[0].pace, before);
      yield* setLimit(null);
      yield* giveAndSend;
      assert.strictEqual((yield* sends())[0].status, "done");
    }),
  );
});
