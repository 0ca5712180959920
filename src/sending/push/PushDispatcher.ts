import { Clock, Context, Effect, FiberMap, Layer, Queue, Stream, SubscriptionRef } from "effect";
import { LeaseTime } from "../LeaseTime.ts";
import { Worker } from "../../workers/Worker.ts";
import { PushProvider } from "./PushCredential.ts";
import { type PushWorker, PushWorkers } from "./PushWorkers.ts";
import { takeoverGrace } from "./PushLeases.ts";
import { noteDepth } from "./PushMetrics.ts";
import { type QueuePartition, PushQueueSql } from "./PushQueueSql.ts";

/** How often a process looks for lanes with something due. */
const pollMillis = 250;
/** Lanes that one process works off at once; more wait their turn, the longest first. */
const maxPartitions = 64;
/** How long what is under way may take to its end when the process is stopped. */
const patience = "8 seconds";
const countedUpTo = 100_000;

const keyOf = ({ environment, transport, workspaceId }: QueuePartition) =>
  `${workspaceId}/${environment}/${transport}`;

/** Hands queued deliveries to the push services, in every process with the role `worker`. Any number of them share the work. */
export class PushDispatcher extends Context.Service<PushDispatcher>()("waypost/sending/PushDispatcher", {
  make: Effect.gen(function* () {
    const repository = yield* PushQueueSql;
    const partitions = yield* PushWorkers;
    const leaseTime = yield* LeaseTime;
    const wake = yield* Queue.sliding<void>(1);
    const fibers = yield* FiberMap.make<string, void, never>();
    const atWork = new Map<string, PushWorker>();
    // Looks are counted: the one that began last, and the one that found nothing left to do.
    let looks = 0;
    let wasAway = false;
    const idle = yield* SubscriptionRef.make(0);

    const begin = Effect.fnUntraced(function* (partition: QueuePartition) {
      const key = keyOf(partition);
      const work = yield* partitions.at(partition);
      atWork.set(key, work);
      yield* FiberMap.run(
        fibers,
        key,
        Effect.ensuring(
          work.run,
          Effect.sync(() => {
            atWork.delete(key);
            Queue.offerUnsafe(wake, undefined);
          }),
        ),
      );
    });

    const look = Effect.gen(function* () {
      const number = ++looks;
      const now = yield* Clock.currentTimeMillis;
      const latest = Math.max(now, yield* leaseTime.now);
      const due = yield* Effect.tapCause(repository.duePartitions(latest, 2 * maxPartitions), () =>
        Effect.sync(() => {
          wasAway = true;
        }),
      );
      if (wasAway) {
        wasAway = false;
        return yield* Effect.sleep(takeoverGrace);
      }
      const open = due.filter((partition) => !partitions.isPaused(partition, now));
      for (const partition of open) {
        const running = atWork.get(keyOf(partition));
        if (running !== undefined) yield* running.look;
        else if (atWork.size < maxPartitions) yield* begin(partition);
      }
      if (open.length === 0 && atWork.size === 0) yield* SubscriptionRef.set(idle, number);
      yield* Effect.raceFirst(Effect.sleep(pollMillis), Queue.take(wake));
    });

    const measure = Effect.flatMap(repository.depth(countedUpTo), (counts) =>
      Effect.forEach(PushProvider.literals, (transport) => noteDepth(transport, counts.get(transport) ?? 0), {
        discard: true,
      }),
    );

    yield* Worker.every("pushes", 0, look, { isTraced: false });
    yield* Worker.every("push_queue_depth", "15 seconds", measure, { isTraced: false });
    yield* Effect.addFinalizer(() =>
      Effect.gen(function* () {
        yield* Effect.forEach([...atWork.values()], ({ stop }) => stop, { discard: true });
        yield* Effect.timeoutOption(FiberMap.awaitEmpty(fibers), patience);
      }),
    );

    return {
      /** Looks at once, and waits until this process finds nothing that is due and has nothing under way. */
      caughtUp: Effect.suspend(() => {
        const before = looks;
        Queue.offerUnsafe(wake, undefined);
        return Effect.asVoid(
          Stream.runHead(Stream.filter(SubscriptionRef.changes(idle), (number) => number > before)),
        );
      }),
    };
  }),
}) {
  static readonly layer = Layer.effect(PushDispatcher, PushDispatcher.make).pipe(
    Layer.provide([PushWorkers.layer, PushQueueSql.layer]),
  );
}
