import { Clock, Effect, FiberSet, type Scope } from "effect";
import { openCalls } from "../../outgoing/OpenCalls.ts";
import {
  type AttemptResult,
  attemptTimeoutMillis,
  delivered,
  type PushAttempts,
  returned,
  timedOut,
} from "./PushAttempts.ts";
import type { OpenChannel } from "./PushChannels.ts";
import type { PushLeases } from "./PushLeases.ts";
import { countAccepted, countUncertain } from "./PushMetrics.ts";
import type { PushContent } from "./PushPayload.ts";
import type { QueuePartition, TakenPush } from "./PushQueueSql.ts";
import { type Cancel, nothingToCancel, type PushOutcome } from "./transports/PushTransport.ts";

/** How long attempts are started before the event loop serves other work, in milliseconds. */
const sliceMillis = 5;

/** A push that can be sent. */
export interface ReadyPush {
  readonly push: TakenPush;
  readonly content: PushContent;
}

interface Attempt {
  readonly channel: OpenChannel;
  readonly push: TakenPush;
  /** The name of its push service. */
  readonly service: string;
  /** Monotonic milliseconds. */
  readonly began: number;
  cancel: Cancel;
}

/** The pushes of a worker that are with their provider. */
export interface InFlightPushes {
  /**
   * Starts attempts. Results are reported in any order, each within the attempt's timeout. Pushes whose lease
   * is too short for that are returned to the queue instead; the result is their number. So are, uncounted,
   * the pushes left when the worker is stopped.
   */
  readonly start: (
    channel: OpenChannel,
    ready: ReadonlyArray<ReadyPush>,
    now: number,
    isStopped: () => boolean,
  ) => Effect.Effect<number>;
  /** Counts the pushes accepted since the last call. */
  readonly countAccepted: Effect.Effect<void>;
}

/**
 * Sends pushes by plain calls and callbacks; only the exceptional cases run an effect. Closing the scope
 * cancels the attempts in flight.
 */
export const inFlightPushes = (
  partition: QueuePartition,
  pushAttempts: PushAttempts["Service"],
  leases: PushLeases,
  report: (result: AttemptResult) => void,
): Effect.Effect<InFlightPushes, never, Scope.Scope> =>
  Effect.gen(function* () {
    const clock = yield* Clock.Clock;
    const fork = yield* FiberSet.makeRuntime<never, void>();
    let acceptedMillis: Array<number> = [];

    const release = ({ began, channel, service }: Attempt, outcome: PushOutcome | null): void => {
      const now = clock.currentTimeMillisUnsafe();
      channel.concurrency.ended(service, outcome, leases.now() - began, now);
      if (outcome?._tag === "Unavailable" && outcome.retryAfter !== null)
        channel.pause.extend(channel.concurrency.backOff(service, now, outcome.retryAfter));
    };

    const finish = (attempt: Attempt, rest: Effect.Effect<PushOutcome>): void => {
      const { began, channel, push } = attempt;
      let outcome: PushOutcome | null = null;
      const noted = Effect.tap(rest, (found) =>
        Effect.sync(() => {
          outcome = found;
        }),
      );
      fork(
        Effect.map(pushAttempts.finish(partition, channel, push, noted, began), report).pipe(
          Effect.ensuring(Effect.sync(() => release(attempt, outcome))),
        ),
      );
    };

    const open = yield* openCalls<Attempt>(attemptTimeoutMillis, (attempt) => {
      attempt.cancel();
      finish(attempt, Effect.succeed(timedOut));
    });

    yield* Effect.addFinalizer(() =>
      Effect.suspend(() => {
        const left = open.endAll();
        for (const attempt of left) {
          attempt.cancel();
          release(attempt, null);
        }
        const pushes = left.length;
        if (pushes === 0) return Effect.void;
        return Effect.andThen(
          countUncertain({ transport: partition.transport, cause: "stopped" }, pushes),
          Effect.logWarning("The worker stopped before pushes were answered; they are sent again").pipe(
            Effect.annotateLogs({ ...partition, pushes }),
          ),
        );
      }),
    );

    const startOne = (channel: OpenChannel, { content, push }: ReadyPush, id: string): void => {
      const service = channel.serviceOf(push.address);
      const attempt: Attempt = { channel, push, service, began: leases.now(), cancel: nothingToCancel };
      open.add(attempt);
      channel.concurrency.started(service);
      try {
        const firstAt = push.attempts > 1 ? push.firstAt : null;
        attempt.cancel = channel.send({ id, content, firstAt, address: push.address }, (result) => {
          if (!open.end(attempt)) return;
          if (Effect.isEffect(result)) {
            finish(attempt, result);
          } else if (result._tag === "Accepted") {
            channel.pause.credentialsAccepted();
            release(attempt, result);
            acceptedMillis.push(leases.now() - attempt.began);
            report(delivered(push));
          } else {
            finish(attempt, Effect.succeed(result));
          }
        });
      } catch (fault) {
        if (open.end(attempt)) finish(attempt, Effect.die(fault));
      }
    };

    return {
      start: Effect.fnUntraced(function* (channel, ready, now, isStopped) {
        let since = performance.now();
        let returnedCount = 0;
        const ids = pushAttempts.idsOf(ready.map(({ push }) => push));
        for (const [index, each] of ready.entries()) {
          // An attempt that starts now ends before another worker can take the push.
          const isCovered = leases.covers(each.push, attemptTimeoutMillis);
          if (isCovered && !isStopped()) startOne(channel, each, ids[index] ?? "");
          else report(returned(each.push, now));
          if (!isCovered) returnedCount += 1;
          if (performance.now() - since < sliceMillis) continue;
          yield* Effect.yieldNow;
          since = performance.now();
        }
        return returnedCount;
      }),
      countAccepted: Effect.suspend(() => {
        if (acceptedMillis.length === 0) return Effect.void;
        const millis = acceptedMillis;
        acceptedMillis = [];
        return countAccepted(partition.transport, millis);
      }),
    };
  });
