import { Clock, Effect, FiberHandle, type Scope } from "effect";
import { monotonicMillis } from "../time/MonotonicTime.ts";

/** Calls in flight, oldest first. A call that is taken out has ended. */
export interface OpenCalls<C> {
  readonly add: (call: C) => void;
  /** Takes a call out; false if it has ended already. */
  readonly end: (call: C) => boolean;
  readonly count: () => number;
  /** Takes all calls out. */
  readonly endAll: () => ReadonlyArray<C>;
}

/** Yields to the event loop, so that sockets are read. */
export const yieldToEventLoop: Effect.Effect<void> = Effect.callback((resume) => {
  const immediate = setImmediate(() => resume(Effect.void));
  return Effect.sync(() => clearImmediate(immediate));
});

/**
 * Calls that end within `timeoutMillis` of `began` (monotonic milliseconds): those that do not are taken out
 * and given to `expire`. One fiber watches all, as a timer for each of 10,000 calls a second would cost more.
 */
export const openCalls = <C extends { readonly began: number }>(
  timeoutMillis: number,
  expire: (call: C) => void,
): Effect.Effect<OpenCalls<C>, never, Scope.Scope> =>
  Effect.gen(function* () {
    const clock = yield* Clock.Clock;
    const runWatch = yield* FiberHandle.makeRuntime<never, void>();
    const open = new Set<C>();

    /**
     * Ends calls one at a time: the oldest has the least time left. Reads the sockets first, as a process
     * that was held up may have unread responses.
     */
    const watch = Effect.gen(function* () {
      let readAt = Number.NEGATIVE_INFINITY;
      for (const oldest of open) {
        const end = oldest.began + timeoutMillis;
        const left = end - monotonicMillis(clock);
        if (left > 0) yield* Effect.sleep(left);
        if (readAt < end) {
          yield* yieldToEventLoop;
          yield* yieldToEventLoop;
          readAt = monotonicMillis(clock);
        }
        if (open.delete(oldest)) expire(oldest);
      }
    });

    return {
      add: (call) => {
        if (open.add(call).size === 1) runWatch(watch);
      },
      end: (call) => open.delete(call),
      count: () => open.size,
      endAll: () => {
        const all = [...open];
        open.clear();
        return all;
      },
    };
  });
