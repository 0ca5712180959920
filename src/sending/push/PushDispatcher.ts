import { Clock, Context, Effect, FiberMap, Layer, Queue, Schedule, Stream, SubscriptionRef } from "effect";
import { Config } from "../../config/Settings.ts";
import { LeaseTime } from "../LeaseTime.ts";
import { patiently } from "../../workers/RetryLoop.ts";
import { PushService } from "./PushCredential.ts";
import { type LaneAtWork, PushLanes } from "./PushWorkers.ts";
import { takeoverGrace } from "./PushLeases.ts";
import { noteDepth } from "./PushMetrics.ts";
import { type Lane, PushQueueSql } from "./PushQueueSql.ts";

/** How often a process looks for lanes with something due. */
const pollMillis = 250;
/** Lanes that one process works off at once; more wait their turn, the longest first. */
const mostLanes = 64;
/** How long what is under way may take to its end when the process is stopped. */
const patience = "8 seconds";
const countedUpTo = 100_000;

const keyOf = ({ environment, transport, workspaceId }: Lane) => `${workspaceId}/${environment}/${transport}`;

/** Hands queued deliveries to the push services, in every process with the role `worker`. Any number of them share the work. */
export class PushDispatcher extends Context.Service<PushDispatcher>()("waypost/sending/PushDispatcher", {
  make: Effect.gen(function* () {
    const { roles } = yield* Config;
    const repository = yield* PushQueueSql;
    const lanes = yield* PushLanes;
    const leaseTime = yield* LeaseTime;
    const wake = yield* Queue.sliding<void>(1);
    const fibers = yield* FiberMap.make<string, void, never>();
    const atWork = new Map<string, LaneAtWork>();
    // Looks are counted: the one that began last, and the one that found nothing left to do.
    let looks = 0;
    let wasAway = false;
    const idle = yield* SubscriptionRef.make(0);

    const begin = Effect.fnUntraced(function* (lane: Lane) {
      const key = keyOf(lane);
      const work = yield* lanes.at(lane);
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
      const due = yield* Effect.tapCause(repository.dueLanes(latest, 2 * mostLanes), () =>
        Effect.sync(() => {
          wasAway = true;
        }),
      );
      if (wasAway) {
        wasAway = false;
        return yield* Effect.sleep(takeoverGrace);
      }
      const open = due.filter((lane) => !lanes.isPaused(lane, now));
      for (const lane of open) {
        const running = atWork.get(keyOf(lane));
        if (running !== undefined) yield* running.look;
        else if (atWork.size < mostLanes) yield* begin(lane);
      }
      if (open.length === 0 && atWork.size === 0) yield* SubscriptionRef.set(idle, number);
      yield* Effect.raceFirst(Effect.sleep(pollMillis), Queue.take(wake));
    });

    const measure = Effect.flatMap(repository.depth(countedUpTo), (counts) =>
      Effect.forEach(PushService.literals, (transport) => noteDepth(transport, counts.get(transport) ?? 0), {
        discard: true,
      }),
    );

    if (roles.has("worker")) {
      yield* Effect.forkScoped(patiently("pushes", "The handing over of pushes", look));
      yield* Effect.forkScoped(
        Effect.ignoreCause(measure).pipe(Effect.repeat(Schedule.spaced("15 seconds"))),
      );
      yield* Effect.addFinalizer(() =>
        Effect.gen(function* () {
          yield* Effect.forEach([...atWork.values()], ({ stop }) => stop, { discard: true });
          yield* Effect.timeoutOption(FiberMap.awaitEmpty(fibers), patience);
        }),
      );
    }

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
    Layer.provide([PushLanes.layer, PushQueueSql.layer]),
  );
}
