import { Clock, Effect, Fiber, Schedule } from "effect";
import { TestClock } from "effect/testing";

/** The test's time moves on as real time does: for what waits by the clock until another request is done. */
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
