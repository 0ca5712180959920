/** Long computations in slices, so that the event loop serves requests in between. */
import { Context, Effect } from "effect";
import { OnLongConnections } from "../database/pool/LongConnections.ts";
import { hasNeighbours } from "../database/RecentWorkspaces.ts";

/** The longest a computation holds the event loop, in milliseconds. */
const sliceMillis = 3;
/** The same beside others, to whom the computation then leaves the event loop for at least as long. */
const besideOthersMillis = 1;

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

/** Computations that wait for their next slice. */
const waiting = new Set<() => void>();
let isPlanned = false;

/** Each turn of the event loop runs one slice, however many computations wait. */
const planNext = (): void => {
  if (isPlanned || waiting.size === 0) return;
  isPlanned = true;
  setImmediate(() => {
    isPlanned = false;
    const [next] = waiting;
    if (next !== undefined) waiting.delete(next);
    planNext();
    next?.();
  });
};

const nextSlice = Effect.callback<void>((resume) => {
  const next = (): void => resume(Effect.void);
  waiting.add(next);
  planNext();
  return Effect.sync(() => waiting.delete(next));
});

const pause = Effect.callback<void>((resume) => {
  const timer = setTimeout(() => resume(Effect.void), besideOthersMillis);
  return Effect.sync(() => clearTimeout(timer));
});

/**
 * An effect that yields to the event loop if more than a slice has passed since it last did. All computations
 * of the process take turns. Slices are short in a long read, and for the workspace that is given while
 * others send requests.
 */
export const timeSlices = (workspaceId?: number): Effect.Effect<void> => {
  let since = performance.now();
  return Effect.withFiber((fiber) => {
    const isBesideOthers =
      fiber.getRef(OnLongConnections) || (workspaceId !== undefined && hasNeighbours(workspaceId));
    if (performance.now() - since < (isBesideOthers ? besideOthersMillis : sliceMillis)) return Effect.void;
    return Effect.map(isBesideOthers ? Effect.andThen(pause, nextSlice) : nextSlice, () => {
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
