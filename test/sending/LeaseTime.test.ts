import { assert, it } from "@effect/vitest";
import { Clock, Effect } from "effect";
import { TestClock } from "effect/testing";
import { leaseTimeBy } from "../../src/sending/LeaseTime.ts";

const unsure = 15_000;
const hour = 3_600_000;

/** This machine's clock, which somebody sets by so many milliseconds: what is steady goes on. */
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

it.effect("Leases go by the database's clock, whatever becomes of this machine's (L5)", () =>
  Effect.gen(function* () {
    const { clock, setBy } = yield* settable;
    const truth = yield* Clock.Clock;
    setBy(-hour);
    const shared = Effect.sync(() => truth.currentTimeMillisUnsafe());
    const time = yield* Effect.provideService(leaseTimeBy(shared, unsure), Clock.Clock, clock);
    for (const by of [-hour, 5 * hour, 0, -24 * hour]) {
      setBy(by);
      yield* TestClock.adjust("7 seconds");
      assert.strictEqual(yield* time.now, truth.currentTimeMillisUnsafe());
      assert.strictEqual(yield* time.unsureMillis, 0);
    }
  }).pipe(Effect.scoped),
);

it.effect("Leases go on by a steady clock while the database does not answer", () =>
  Effect.gen(function* () {
    let isAway = false;
    const truth = yield* Clock.Clock;
    const shared = Effect.suspend(() =>
      isAway ? Effect.die(new Error("away")) : Effect.succeed(truth.currentTimeMillisUnsafe()),
    );
    const time = yield* leaseTimeBy(shared, unsure);
    isAway = true;
    yield* TestClock.adjust("10 minutes");
    assert.strictEqual(yield* time.now, truth.currentTimeMillisUnsafe());
    assert.strictEqual(yield* time.unsureMillis, 0);
  }).pipe(Effect.scoped),
);

it.effect("Nobody is taken for dead for a while after the database's clock was set", () =>
  Effect.gen(function* () {
    let by = 0;
    const truth = yield* Clock.Clock;
    const time = yield* leaseTimeBy(
      Effect.sync(() => truth.currentTimeMillisUnsafe() + by),
      unsure,
    );
    for (const jump of [2 * hour, -3 * hour]) {
      by += jump;
      yield* TestClock.adjust("5 seconds");
      assert.strictEqual(yield* time.now, truth.currentTimeMillisUnsafe() + by);
      assert.isAtLeast(yield* time.unsureMillis, unsure);
      yield* TestClock.adjust("30 seconds");
      assert.strictEqual(yield* time.unsureMillis, 0);
    }
    by += 300;
    yield* TestClock.adjust("5 seconds");
    assert.strictEqual(yield* time.unsureMillis, 0);
  }).pipe(Effect.scoped),
);
