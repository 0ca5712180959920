import { Clock, Context, Effect, Layer, Queue, Stream, SubscriptionRef } from "effect";
import { Worker } from "../workers/Worker.ts";
import { SendBatches } from "./SendBatches.ts";
import { SendStarts } from "./SendStarts.ts";

/** How often a process looks for work that other processes have planned, started or left behind, in milliseconds. */
const pollMillis = 500;
/**
 * A process carries out one batch at a time and then rests for this share of what the batch took, within bounds: requests beside a large
 * send find the processors and the disk of the database free several times a second.
 */
const rest = { share: 0.1, mostMillis: 1_000 };

/**
 * The clock of sends: starts each at its minute and carries out what has started, in every process with the role `worker`. Any
 * number of them share the work, and none waits for another.
 */
export class SendScheduler extends Context.Service<SendScheduler>()("waypost/sending/SendScheduler", {
  make: Effect.gen(function* () {
    const starts = yield* SendStarts;
    const batches = yield* SendBatches;
    const wake = yield* Queue.sliding<void>(1);
    const started = yield* Queue.sliding<number>(1);
    // Looks are counted: the one that began last, and the one of which all work is done.
    let looks = 0;
    const done = yield* SubscriptionRef.make(0);

    /** Starts what is due, then sleeps until the next minute, or the next look. */
    const tick = Effect.gen(function* () {
      const look = ++looks;
      const now = yield* Clock.currentTimeMillis;
      const next = yield* starts.startDue;
      yield* Queue.offer(started, look);
      // A clock that was set back meanwhile makes nobody sleep for hours.
      const left = Math.min(now + pollMillis, next ?? Infinity) - (yield* Clock.currentTimeMillis);
      const rest = Math.min(left, pollMillis);
      if (rest > 0) yield* Effect.raceFirst(Effect.sleep(rest), Queue.take(wake));
    });

    const drain = Effect.gen(function* () {
      const look = yield* Queue.take(started);
      let began = yield* Clock.currentTimeMillis;
      while (yield* batches.runNext) {
        const took = (yield* Clock.currentTimeMillis) - began;
        if (took > 0) yield* Effect.sleep(Math.min(took * rest.share, rest.mostMillis));
        began = yield* Clock.currentTimeMillis;
      }
      yield* SubscriptionRef.set(done, look);
    });

    yield* Worker.every("send_starts", 0, tick, { isTraced: false });
    yield* Worker.every("send_batches", 0, drain, { isTraced: false });

    return {
      /** Looks at once, and waits until this process has started all that is due now, and found no open batch any more. */
      caughtUp: Effect.suspend(() => {
        const before = looks;
        Queue.offerUnsafe(wake, undefined);
        const later = Stream.filter(SubscriptionRef.changes(done), (look) => look > before);
        return Effect.asVoid(Stream.runHead(later));
      }),
    };
  }),
}) {
  static readonly layer = Layer.effect(SendScheduler, SendScheduler.make).pipe(
    Layer.provide([SendStarts.layer, SendBatches.layer]),
  );
}
