import { assert, it } from "@effect/vitest";
import { Clock, Context, Effect, Layer } from "effect";
import { TestClock } from "effect/testing";
import { Settings } from "../../src/config/Settings.ts";
import { NoTakeover, sharedClock } from "../../src/database/SharedClock.ts";
import { Worker } from "../../src/workers/Worker.ts";

const lease = 15_000;
const hour = 3_600_000;

/** A machine's clock that a test can set; its monotonic clock is not affected. */
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

/** The time that a process decides by. */
const nowIn = (context: Context.Context<never>) => Effect.provide(Clock.currentTimeMillis, context);
const noTakeover = (context: Context.Context<never>) => Context.get(context, NoTakeover);

it.effect("a process goes by the database's clock when its machine's clock is set (L5)", () =>
  Effect.gen(function* () {
    const { clock, setBy } = yield* settable;
    const truth = yield* Clock.Clock;
    setBy(-hour);
    const shared = Effect.sync(() => truth.currentTimeMillisUnsafe());
    const context = yield* Effect.provideService(sharedClock(shared, lease), Clock.Clock, clock);
    for (const by of [-hour, 5 * hour, 0, -24 * hour]) {
      setBy(by);
      yield* TestClock.adjust("7 seconds");
      assert.strictEqual(yield* nowIn(context), truth.currentTimeMillisUnsafe());
      assert.strictEqual(yield* noTakeover(context), 0);
    }
  }).pipe(Effect.scoped),
);

it.effect("the shared clock continues by the monotonic clock while the database does not respond", () =>
  Effect.gen(function* () {
    let isAway = false;
    const { clock, setBy } = yield* settable;
    const truth = yield* Clock.Clock;
    const shared = Effect.suspend(() =>
      isAway ? Effect.die(new Error("away")) : Effect.succeed(truth.currentTimeMillisUnsafe()),
    );
    const context = yield* Effect.provideService(sharedClock(shared, lease), Clock.Clock, clock);
    isAway = true;
    setBy(hour);
    yield* TestClock.adjust("10 minutes");
    assert.strictEqual(yield* nowIn(context), truth.currentTimeMillisUnsafe());
    assert.strictEqual(yield* noTakeover(context), 0);
  }).pipe(Effect.scoped),
);

it.effect("takeovers are suspended for a while after the database's clock was set", () =>
  Effect.gen(function* () {
    let by = 0;
    const truth = yield* Clock.Clock;
    const context = yield* sharedClock(
      Effect.sync(() => truth.currentTimeMillisUnsafe() + by),
      lease,
    );
    for (const jump of [2 * hour, -3 * hour]) {
      by += jump;
      yield* TestClock.adjust("5 seconds");
      assert.strictEqual(yield* nowIn(context), truth.currentTimeMillisUnsafe() + by);
      assert.isAtLeast(yield* noTakeover(context), lease);
      yield* TestClock.adjust("30 seconds");
      assert.strictEqual(yield* noTakeover(context), 0);
    }
    by += 300;
    yield* TestClock.adjust("5 seconds");
    assert.strictEqual(yield* noTakeover(context), 0);
  }).pipe(Effect.scoped),
);

it.effect(
  "a job never sees a jump of the database's clock that is soon over; one that lasts it does (L5)",
  () =>
    Effect.gen(function* () {
      let by = 0;
      const truth = yield* Clock.Clock;
      const context = yield* sharedClock(
        Effect.sync(() => truth.currentTimeMillisUnsafe() + by),
        lease,
      );
      const seen: Array<number> = [];
      const run = Effect.map(Clock.currentTimeMillis, (now) => {
        seen.push(Math.round((now - truth.currentTimeMillisUnsafe()) / hour));
      });
      const pushes = { runs: 0 };
      const push = Effect.sync(() => pushes.runs++);
      yield* Effect.provide(Worker.every("dwells", "1 second", run), context);
      yield* Effect.provide(Worker.every("pushes", "1 second", push, { runsAfterStep: true }), context);
      for (const jump of [3, -3, 48]) {
        by = jump * hour;
        yield* TestClock.adjust("15 seconds");
        by = 0;
        yield* TestClock.adjust("1 minute");
        assert.deepStrictEqual([...new Set(seen)], [0], `${jump} hours`);
        // It has run again since.
        assert.isAtLeast(seen.splice(0).length, 30);
      }
      by = 2 * hour;
      yield* TestClock.adjust("1 minute");
      assert.deepStrictEqual([...new Set(seen)], [0, 2]);
    }).pipe(
      Effect.scoped,
      Effect.provide(Layer.effect(Settings, Settings.fromRecord({ WAYPOST_ROLES: "worker" }))),
    ),
);
