import { assert, it } from "@effect/vitest";
import { Clock, Effect } from "effect";
import { TestClock } from "effect/testing";
import { leaseTimeBy } from "../../src/sending/LeaseTime.ts";

const lease = 15_000;
const hour = 3_600_000;

/** This machine's clock, which a test can set; its monotonic clock is not affected. */
const settable = Effect.map(Clock.Clock, (clock) => {
  let by = 0;
  const set = Object.assign(Object.create(clock) as Clock.Clock, {
    currentTimeMillisUnsafe: () => clock.currentTimeMillisUnsafe() + by,
    currentTimeMillis: Effect.sync(() => clock.currentTimeMillisUnsafe() + by),
  });
  return {
    clock: set,
    setBy: (millis: number) => {
      by = millis;
    },
  };
});

it.effect("lease time follows the database's clock when this machine's clock is set (L5)", () =>
  Effect.gen(function* () {
    const { clock, setBy } = yield* settable;
    const truth = yield* Clock.Clock;
    setBy(-hour);
    const shared = Effect.sync(() => truth.currentTimeMillisUnsafe());
    const time = yield* Effect.provideService(leaseTimeBy(shared, lease), Clock.Clock, clock);
    for (const by of [-hour, 5 * hour, 0, -24 * hour]) {
      setBy(by);
      yield* TestClock.adjust("7 seconds");
      assert.strictEqual(yield* time.now, truth.currentTimeMillisUnsafe());
      assert.strictEqual(yield* time.noTakeoverMillis, 0);
    }
  }).pipe(Effect.scoped),
);

it.effect("lease time continues by the monotonic clock while the database does not respond", () =>
  Effect.gen(function* () {
    let isAway = false;
    const truth = yield* Clock.Clock;
    const shared = Effect.suspend(() =>
      isAway ? Effect.die(new Error("away")) : Effect.succeed(truth.currentTimeMillisUnsafe()),
    );
    const time = yield* leaseTimeBy(shared, lease);
    isAway = true;
    yield* TestClock.adjust("10 minutes");
    assert.strictEqual(yield* time.now, truth.currentTimeMillisUnsafe());
    assert.strictEqual(yield* time.noTakeoverMillis, 0);
  }).pipe(Effect.scoped),
);

it.effect("takeovers are suspended for a while after the database's clock was set", () =>
  Effect.gen(function* () {
    let by = 0;
    const truth = yield* Clock.Clock;
    const time = yield* leaseTimeBy(
      Effect.sync(() => truth.currentTimeMillisUnsafe() + by),
      lease,
    );
    for (const jump of [2 * hour, -3 * hour]) {
      by += jump;
      yield* TestClock.adjust("5 seconds");
      assert.strictEqual(yield* time.now, truth.currentTimeMillisUnsafe() + by);
      assert.isAtLeast(yield* time.noTakeoverMillis, lease);
      yield* TestClock.adjust("30 seconds");
      assert.strictEqual(yield* time.noTakeoverMillis, 0);
    }
    by += 300;
    yield* TestClock.adjust("5 seconds");
    assert.strictEqual(yield* time.noTakeoverMillis, 0);
  }).pipe(Effect.scoped),
);
