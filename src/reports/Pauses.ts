import { Effect } from "effect";

/** Milliseconds after which counting lets others on. */
const slice = 10;

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
