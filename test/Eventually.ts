import { Effect } from "effect";

/** Polls until a condition holds, for a minute at most; the event loop turns in between. */
export const eventually = <E, R>(isSo: Effect.Effect<boolean, E, R>) =>
  Effect.gen(function* () {
    const limit = performance.now() + 60_000;
    while (!(yield* isSo)) {
      if (performance.now() > limit) throw new Error("It never came to be.");
      yield* Effect.promise(() => new Promise<void>((resolve) => setImmediate(resolve)));
    }
  });
