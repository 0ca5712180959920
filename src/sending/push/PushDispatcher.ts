import { Clock, Context, Effect, FiberMap, Layer, Queue, Stream, SubscriptionRef } from "effect";
import { Transport } from "../../devices/PushAddress.ts";
import { Worker } from "../../workers/Worker.ts";
import { attemptTimeoutMillis } from "./PushAttempts.ts";
import { partitionName, PushChannels } from "./PushChannels.ts";
import { reconnectPause } from "./PushLeases.ts";
import { noteDepth } from "./PushMetrics.ts";
import { PushQueueSql, type QueuePartition } from "./PushQueueSql.ts";
import { type PushWorker, PushWorkers } from "./PushWorkers.ts";

/** How often a process polls for partitions with due pushes, in milliseconds. */
const pollMillis = 250;
/** The most partitions that a process works on; those that have been due longest go first. */
const maxPartitions = 64;
/** How long a stopping process waits for its pushes in flight: until they have timed out and are settled. */
const shutdownTimeoutMillis = attemptTimeoutMillis + 2_000;
const maxDepth = 100_000;

/**
 * Sends queued pushes: starts a worker (`PushWorkers.ts`) for each queue partition with due pushes. Runs in
 * every process with the role `worker`; they share the work.
 */
export class PushDispatcher extends Context.Service<PushDispatcher>()("waypost/sending/PushDispatcher", {
  make: Effect.gen(function* () {
    const repository = yield* PushQueueSql;
    const channels = yield* PushChannels;
    const workers = yield* PushWorkers;
    const wake = yield* Queue.sliding<void>(1);
    const fibers = yield* FiberMap.make<string, void, never>();
    const running = new Map<string, PushWorker>();
    // Numbers of polls: the latest that began, and the latest that found nothing left to do.
    let polls = 0;
    let wasUnavailable = false;
    const idle = yield* SubscriptionRef.make(0);

    const startWorker = Effect.fnUntraced(function* (name: string, partition: QueuePartition) {
      const worker = yield* workers.make(partition);
      running.set(name, worker);
      yield* FiberMap.run(
        fibers,
        name,
        Effect.ensuring(
          worker.run,
          Effect.sync(() => {
            running.delete(name);
            Queue.offerUnsafe(wake, undefined);
          }),
        ),
      );
    });

    const poll = Effect.gen(function* () {
      const number = ++polls;
      const now = yield* Clock.currentTimeMillis;
      const due = yield* Effect.tapCause(
        repository.duePartitions(now, channels.paused(now), 2 * maxPartitions),
        () =>
          Effect.sync(() => {
            wasUnavailable = true;
          }),
      );
      if (wasUnavailable) {
        wasUnavailable = false;
        return yield* Effect.sleep(reconnectPause);
      }
      for (const partition of due) {
        const name = partitionName(partition);
        const worker = running.get(name);
        if (worker !== undefined) yield* worker.poll;
        else if (running.size < maxPartitions) yield* startWorker(name, partition);
      }
      if (due.length === 0 && running.size === 0) yield* SubscriptionRef.set(idle, number);
      yield* Effect.raceFirst(Effect.sleep(pollMillis), Queue.take(wake));
    });

    const measureDepth = Effect.flatMap(repository.depth(maxDepth), (counts) =>
      Effect.forEach(Transport.literals, (transport) => noteDepth(transport, counts.get(transport) ?? 0), {
        discard: true,
      }),
    );

    // Finalizers run in reverse order: the polls below end first, so that none starts a worker again. Then
    // the workers stop, and `fibers` interrupts those that are left.
    yield* Effect.addFinalizer(() =>
      Effect.gen(function* () {
        yield* Effect.forEach([...running.values()], ({ stop }) => stop, { discard: true });
        yield* Effect.timeoutOption(FiberMap.awaitEmpty(fibers), shutdownTimeoutMillis);
      }),
    );
    yield* Worker.every("pushes", 0, poll, { runsAfterStep: true, isTraced: false });
    yield* Worker.every("push_queue_depth", "15 seconds", measureDepth, { isTraced: false });

    return {
      /** Polls at once. Completes when this process finds no due push and has none in flight. */
      caughtUp: Effect.suspend(() => {
        const before = polls;
        Queue.offerUnsafe(wake, undefined);
        return Effect.asVoid(
          Stream.runHead(Stream.filter(SubscriptionRef.changes(idle), (number) => number > before)),
        );
      }),
    };
  }),
}) {
  static readonly layer = Layer.effect(PushDispatcher, PushDispatcher.make).pipe(
    Layer.provide(PushWorkers.layer),
    Layer.provide([PushChannels.layer, PushQueueSql.layer]),
  );
}
