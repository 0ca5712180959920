import { Clock, Effect, Fiber, Schedule } from "effect";
import { TestClock } from "effect/testing";

/** Moves the time of the test as real time passes, for effects that wait by the clock for another request. */
export const whileTimeMoves = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.gen(function* () {
    const clock = yield* Clock.Clock;
    const move = Effect.provideService(TestClock.adjust("4 millis"), Clock.Clock, clock);
    const moving = yield* Effect.forkChild(
      TestClock.withLive(Effect.repeat(move, Schedule.spaced("4 millis"))),
    );
    const result = yield* Effect.exit(effect);
    yield* Fiber.interrupt(moving);
    return yield* result;
  });

/** Moves the time of the test by 1 ms in each turn of the event loop: sockets and the database keep up. */
export const movingTime = Effect.forever(
  Effect.andThen(
    TestClock.adjust("1 millis"),
    Effect.promise(() => new Promise((resolve) => setImmediate(resolve))),
  ),
);
