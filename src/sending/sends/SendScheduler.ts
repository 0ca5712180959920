import { Clock, Context, Effect, Layer, Queue, Stream, SubscriptionRef } from "effect";
import { Worker } from "../../workers/Worker.ts";
import { BatchLoad } from "./BatchLoad.ts";
import { SendBatches } from "./SendBatches.ts";
import { SendStarts } from "./SendStarts.ts";

/** How often a process polls for work planned, started or abandoned by others, in milliseconds. */
const pollMillis = 500;

/**
 * Starts sends at their minute (`SendStarts.ts`) and runs the batches of started sends (`SendBatches.ts`).
 * Runs in every process with the role `worker`; they share the work and do not wait for each other.
 */
export class SendScheduler extends Context.Service<SendScheduler>()("waypost/sending/SendScheduler", {
  make: Effect.gen(function* () {
    const starts = yield* SendStarts;
    const batches = yield* SendBatches;
    const load = yield* BatchLoad;
    const wake = yield* Queue.sliding<void>(1);
    const started = yield* Queue.sliding<number>(1);
    // Numbers of polls: the latest that began, and the latest whose sends and batches are all done.
    let polls = 0;
    const done = yield* SubscriptionRef.make(0);

    /** Starts due sends, then sleeps until the next minute or poll. */
    const startDue = Effect.gen(function* () {
      const poll = ++polls;
      const now = yield* Clock.currentTimeMillis;
      const { next, report } = yield* starts.startDue;
      yield* Queue.offer(started, poll);
      yield* report;
      // Never longer than one interval, also if the clock was set back meanwhile.
      const left = Math.min(now + pollMillis, next ?? Infinity) - (yield* Clock.currentTimeMillis);
      const sleep = Math.min(left, pollMillis);
      if (sleep > 0) yield* Effect.raceFirst(Effect.sleep(sleep), Queue.take(wake));
    });

    const runBatches = Effect.gen(function* () {
      const poll = yield* Queue.take(started);
      while (yield* load.limited(batches.runNext));
      yield* SubscriptionRef.set(done, poll);
    });

    // A stopping process ends them in reverse order: it starts no send while it waits for its batch.
    yield* Worker.every("send_batches", 0, runBatches, { isTraced: false });
    yield* Worker.every("send_starts", 0, startDue, { isTraced: false });

    return {
      /** Polls at once. Completes when this process has started all due sends and run all open batches. */
      caughtUp: Effect.suspend(() => {
        const before = polls;
        Queue.offerUnsafe(wake, undefined);
        const later = Stream.filter(SubscriptionRef.changes(done), (poll) => poll > before);
        return Effect.asVoid(Stream.runHead(later));
      }),
    };
  }),
}) {
  static readonly layer = Layer.effect(SendScheduler, SendScheduler.make).pipe(
    Layer.provide([SendStarts.layer, SendBatches.layer, BatchLoad.layer]),
  );
}
