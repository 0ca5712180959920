import { Cause, Clock, Context, Effect, Layer, Queue } from "effect";
import { Database } from "../../database/Database.ts";
import type { CachedContent } from "./CachedContent.ts";
import { yieldToEventLoop } from "../../outgoing/OpenCalls.ts";
import { type InFlightPushes, inFlightPushes, type ReadyPush } from "./InFlightPushes.ts";
import { countLost, countUncertain } from "./PushMetrics.ts";
import { type AttemptResult, PushAttempts } from "./PushAttempts.ts";
import { PushBatches } from "./PushBatches.ts";
import { type OpenChannel, PushChannels } from "./PushChannels.ts";
import { pushLeases, reconnectPause } from "./PushLeases.ts";
import { PushOutcomes } from "./PushOutcomes.ts";
import { PushQueueSql, type QueuePartition, type TakenPush } from "./PushQueueSql.ts";
import * as State from "./PushWorkerState.ts";

/** Leases are renewed right after a taking that took longer than this, in milliseconds. */
const slowTakingMillis = 1_000;
/** How long a stopping worker tries to store the results it has. */
const lastSettleTimeout = "1 second";
/** How many pushes a log line or a trace names at most. */
const maxNamed = 5;

/** The worker of one queue partition in this process. */
export interface PushWorker {
  /** The partition has due pushes. */
  readonly poll: Effect.Effect<void>;
  /** Takes nothing and sends nothing more; pushes in flight are still settled. */
  readonly stop: Effect.Effect<void>;
  /** Runs until nothing is due and nothing in flight. */
  readonly run: Effect.Effect<void>;
}

/**
 * Workers that send the pushes of one environment to one provider. A slow or broken provider holds up no
 * other partition. `PushWorkerState.ts` decides when a worker takes pushes, and how many.
 */
export class PushWorkers extends Context.Service<PushWorkers>()("waypost/sending/PushWorkers", {
  make: Effect.gen(function* () {
    const repository = yield* PushQueueSql;
    const batches = yield* PushBatches;
    const channels = yield* PushChannels;
    const pushAttempts = yield* PushAttempts;
    const outcomes = yield* PushOutcomes;

    return {
      /** A new worker for a partition. */
      make: Effect.fnUntraced(function* (partition: QueuePartition) {
        const wake = yield* Queue.sliding<void>(1);
        const contents = new Map<string, CachedContent>();
        const leases = yield* pushLeases(repository, partition);
        let state = State.initialState;
        let results: Array<AttemptResult> = [];

        const send = Effect.fnUntraced(function* (
          pushes: InFlightPushes,
          channel: OpenChannel,
          ready: ReadonlyArray<ReadyPush>,
          since: number,
        ) {
          state = State.sending(state, ready.length);
          for (const { push } of ready) leases.hold(push, since);
          if (leases.now() - since > slowTakingMillis)
            yield* Effect.ignoreCause(leases.renew(slowTakingMillis));
          yield* logUncertain(pushAttempts, partition, ready);
          const returned = yield* pushes
            .start(channel, ready, yield* Clock.currentTimeMillis, () => state.isStopped)
            .pipe(withPushSpan("push.hand_over", partition, ready));
          if (returned > 0) yield* countLost({ transport: partition.transport, found: "before" }, returned);
        });

        const take = Effect.fnUntraced(function* (pushes: InFlightPushes) {
          const channel = yield* channels.of(partition);
          if (channel?.pause.isActive(yield* Clock.currentTimeMillis) === true) return;
          const limit = State.takeLimit(state, channel?.pause.isSuspect ?? false);
          if (limit === 0) return;
          yield* leases.renew();
          const since = leases.now();
          const batch = yield* batches.take(partition, channel, contents, leases, limit);
          for (const push of batch.own) leases.adopt(push);
          const sent = batch.ready.length;
          if (channel !== null && sent > 0) yield* send(pushes, channel, batch.ready, since);
          if (batch.settled.length > 0) yield* outcomes.settle(partition, leases, batch.settled);
          state = State.taken(state, { ...batch, sent });
        });

        /** A failed taking does not affect the pushes in flight: nothing is taken for a while. */
        const takeOrPause = (pushes: InFlightPushes) =>
          Effect.catchCauseIf(
            take(pushes),
            (cause) => state.inFlight > 0 && !Cause.hasInterruptsOnly(cause),
            Effect.fnUntraced(function* (cause) {
              if (!Database.isUnavailable(cause)) {
                yield* Effect.logError("Taking pushes from the queue failed; retrying", cause);
              }
              yield* Effect.sleep(reconnectPause);
              state = State.failed(state);
            }),
          );

        /** Stores the results so far. They are kept until they are stored. */
        const settle = Effect.gen(function* () {
          const stored = [...results];
          if (stored.length > 0)
            yield* outcomes
              .settle(partition, leases, stored)
              .pipe(withPushSpan("push.settle", partition, stored));
          results = results.slice(stored.length);
          state = State.settled(state, stored.length);
          for (const { push } of stored) leases.release(push);
        });

        const run = Effect.scoped(
          Effect.gen(function* () {
            // Also if the worker is interrupted while it settles.
            yield* Effect.addFinalizer(() =>
              Effect.ignoreCause(Effect.timeout(Effect.interruptible(settle), lastSettleTimeout)),
            );
            const pushes = yield* inFlightPushes(partition, pushAttempts, leases, (result) => {
              if (results.push(result) === 1) Queue.offerUnsafe(wake, undefined);
            });
            yield* Effect.forkScoped(leases.heartbeats);
            while (true) {
              if (State.shouldTake(state)) {
                state = State.taking(state);
                yield* takeOrPause(pushes);
              }
              if (State.isFinished(state)) return;
              if (state.inFlight === 0) continue;
              if (results.length === 0) {
                yield* Queue.take(wake);
                // Responses arrive in bursts: settle the whole burst at once.
                yield* yieldToEventLoop;
              }
              yield* settle;
              yield* pushes.countAccepted;
            }
          }),
        );

        const worker: PushWorker = {
          poll: Effect.sync(() => {
            state = State.polled(state);
            Queue.offerUnsafe(wake, undefined);
          }),
          stop: Effect.sync(() => {
            state = State.stopped(state);
          }),
          run: Effect.catchCause(run, (cause) => {
            if (Cause.hasInterruptsOnly(cause)) return Effect.failCause(cause);
            return Database.isUnavailable(cause)
              ? Effect.logWarning("Pushes wait for the database")
              : Effect.logError("A push worker failed", cause).pipe(Effect.annotateLogs({ ...partition }));
          }),
        };
        return worker;
      }),
    };
  }),
}) {
  static readonly layer = Layer.effect(PushWorkers, PushWorkers.make).pipe(
    Layer.provide([PushBatches.layer, PushAttempts.layer, PushOutcomes.layer, PushQueueSql.layer]),
  );
}

/** Counts and logs pushes whose earlier attempt, by a dead worker, has an unknown outcome. */
const logUncertain = Effect.fnUntraced(function* (
  pushAttempts: PushAttempts["Service"],
  partition: QueuePartition,
  ready: ReadonlyArray<ReadyPush>,
) {
  const uncertain = ready.filter(({ push }) => push.isUncertain);
  if (uncertain.length === 0) return;
  yield* countUncertain({ transport: partition.transport, cause: "taken_over" }, uncertain.length);
  yield* Effect.logWarning("Retrying pushes with unknown outcome; they may be delivered twice").pipe(
    Effect.annotateLogs({
      ...partition,
      pushes: uncertain.length,
      among_them: pushAttempts.idsOf(uncertain.slice(0, maxNamed).map(({ push }) => push)).join(" "),
    }),
  );
});

/** One span for many pushes, with some of their source ids; one for each would be ten thousand a second. */
const withPushSpan = (
  name: string,
  partition: QueuePartition,
  pushes: ReadonlyArray<{ readonly push: TakenPush }>,
) =>
  Effect.withSpan(name, {
    root: true,
    attributes: {
      "waypost.workspace_key": partition.workspaceId,
      "waypost.environment": partition.environment,
      "waypost.transport": partition.transport,
      "waypost.pushes": pushes.length,
      "waypost.send_nos": [...new Set(pushes.map(({ push }) => String(push.sourceId)))].slice(0, maxNamed),
    },
  });
