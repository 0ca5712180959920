import { Effect } from "effect";

/** Milliseconds after which counting lets others on. */
const slice = 10;

/** Work that may be left for a while wherever it yields. */
export type Paced<A> = Generator<undefined, A>;

/** Does the work, giving way to others when it has run for long. */
export const paced = <A>(work: Paced<A>): Effect.Effect<A> =>
  Effect.gen(function* () {
    const pause = pauses();
    for (;;) {
      const next = work.next();
      if (next.done === true) return next.value;
      yield* pause;
    }
  });

/** Gives way to others, wherever it stands, when its holder has run for long: no request waits for somebody's counting. */
export const pauses = (): Effect.Effect<void> => {
  let since = performance.now();
  return Effect.suspend(() => {
    if (performance.now() - since < slice) return Effect.void;
    return Effect.map(Effect.yieldNow, () => {
      since = performance.now();
    });
  });
};
