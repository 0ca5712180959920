import { assert, layer } from "@effect/vitest";
import { Effect, Metric } from "effect";
import { TestClock } from "effect/testing";
import { TestWaypost } from "../../TestWaypost.ts";
import { sendWorld } from "./SendWorld.ts";

/** The number of starts counted, and the sum of their lags in seconds. */
const lag = Effect.map(Metric.snapshot, (all) => {
  const found = all.find(({ id }) => id === "waypost_send_lag_seconds");
  return found?.type === "Histogram" ? [found.state.count, found.state.sum] : [0, 0];
});

layer(TestWaypost.layer)("Lag of sends", (it) => {
  it.effect("a send starts within a second of its minute, and the metric shows its lag (L2.1)", () =>
    Effect.gen(function* () {
      const { production } = yield* sendWorld();
      const [earlier = 0, sumOfEarlier = 0] = yield* lag;
      yield* production.phone();
      yield* production.sent(yield* production.push(), "12:30");
      const status = Effect.map(production.sends(), ([first]) => first.status as string);
      yield* TestClock.setTime(Date.parse("2026-11-21T12:29:59.700Z"));
      assert.strictEqual(yield* status, "scheduled");
      // Without a wake-up it polls after half a second.
      yield* TestClock.adjust("500 millis");
      const isDone = Effect.gen(function* () {
        while ((yield* status) !== "done") yield* Effect.yieldNow;
      });
      yield* TestClock.withLive(Effect.timeout(isDone, "60 seconds"));
      const [send] = yield* production.sends();
      assert.strictEqual(send.started_at, "2026-11-21T12:30:00+00:00");
      const [count = 0, sum = 0] = yield* lag;
      assert.strictEqual(count - earlier, 1);
      assert.isBelow(sum - sumOfEarlier, 1);
    }),
  );
});
