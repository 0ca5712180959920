import { Context, Effect, Queue, Random } from "effect";
import { TestClock } from "effect/testing";
import { type ClientSettings, type Retry, WaypostClient } from "waypost/client";

/** The middle of every range, so that pauses are half of their ceiling. */
const middle: Random.Random = { nextIntUnsafe: () => 0, nextDoubleUnsafe: () => 0.5 };

/** A client on the test's clock, and a way to await its calls that lets the pauses between attempts pass. */
export const testClient = (settings: ClientSettings) =>
  Effect.gen(function* () {
    const context = yield* Effect.context();
    const pauses = yield* Queue.unbounded<number>();
    const retries: Array<Retry> = [];
    const client = new WaypostClient({
      ...settings,
      context: Context.add(context, Random.Random, middle),
      onRetry: (retry) => {
        retries.push(retry);
        Queue.offerUnsafe(pauses, retry.waitMs);
      },
    });
    const passTime = Effect.forever(Effect.flatMap(Queue.take(pauses), (waitMs) => TestClock.adjust(waitMs)));
    return {
      client,
      retries,
      /** What the call resolves to; what it rejects with is the failure. */
      settle: <A>(call: () => Promise<A>): Effect.Effect<A, unknown> =>
        Effect.raceFirst(Effect.tryPromise({ try: call, catch: (error) => error }), passTime),
    };
  });
