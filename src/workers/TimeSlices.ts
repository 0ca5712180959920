/** Long computations in slices, so that the event loop serves requests in between. */
import { Context, Effect } from "effect";

/** The longest a computation holds the event loop, in milliseconds. */
const sliceMillis = 10;

/** Milliseconds of a clock that measures computations. Tests replace it. */
export const Stopwatch = Context.Reference<() => number>("waypost/workers/Stopwatch", {
  defaultValue: () => () => performance.now(),
});

/** A computation that can be suspended wherever it yields. */
export type Sliced<A> = Generator<undefined, A>;

/** Runs a computation to its end, yielding to the event loop after every slice. */
export const runSliced = Effect.fnUntraced(function* <A>(work: Sliced<A>) {
  const yieldIfLong = timeSlices();
  for (;;) {
    const next = work.next();
    if (next.done === true) return next.value;
    yield* yieldIfLong;
  }
});

/** An effect that yields to the event loop if more than a slice has passed since it last did. */
export const timeSlices = (): Effect.Effect<void> => {
  let since = performance.now();
  return Effect.suspend(() => {
    if (performance.now() - since < sliceMillis) return Effect.void;
    return Effect.map(Effect.yieldNow, () => {
      since = performance.now();
    });
  });
};

/** Maps items one by one, yielding to the event loop after every slice. */
export const mapSliced = Effect.fnUntraced(function* <A, B>(
  items: ReadonlyArray<A>,
  map: (item: A, index: number) => B,
) {
  const results: Array<B> = [];
  const yieldIfLong = timeSlices();
  for (const item of items) {
    results.push(map(item, results.length));
    yield* yieldIfLong;
  }
  return results;
});
