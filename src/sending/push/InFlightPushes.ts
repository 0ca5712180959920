import { Clock, Effect, FiberSet, type Scope } from "effect";
import type { OpenChannel } from "./PushChannels.ts";
import { countUncertain } from "./LeaseMetrics.ts";
import { messageId } from "../MessageId.ts";
import {
  delivered,
  type AttemptResult,
  attemptTimeoutMillis,
  type PushAttempts,
  returned,
  unanswered,
} from "./PushAttempts.ts";
import type { PushLeases } from "./PushLeases.ts";
import { countAccepted } from "./PushMetrics.ts";
import type { PushContent } from "./PushPayload.ts";
import type { QueuePartition, TakenPush } from "./PushQueueSql.ts";
import { type GiveUp, nothingToGiveUp, type PushOutcome } from "./transports/PushTransport.ts";

/** For how long pushes are begun before others in the process get their turn, in milliseconds. */
const turn = 5;

/** Lets the process do whatever it has to do by now. */
export const yieldToEventLoop: Effect.Effect<void> = Effect.callback((resume) => {
  const later = setImmediate(() => resume(Effect.void));
  return Effect.sync(() => clearImmediate(later));
});

/** A push that is ready to be handed over. */
export interface ReadyPush {
  readonly push: TakenPush;
  readonly content: PushContent;
}

interface Begun {
  readonly channel: OpenChannel;
  readonly push: TakenPush;
  readonly service: string;
  readonly began: number;
  giveUp: GiveUp;
}

/** The pushes of a lane that are with their service. */
export interface InFlightPushes {
  /** Hands them over; what becomes of each is told in any order, within bounds. Those that are not surely held are given back: it gives how many. */
  readonly begin: (
    channel: OpenChannel,
    ready: ReadonlyArray<ReadyPush>,
    now: number,
  ) => Effect.Effect<number>;
  /** Counts what the service has taken since the last time. */
  readonly count: Effect.Effect<void>;
}

/**
 * Hands pushes over by plain calls and callbacks, and takes an effect only for what is out of the ordinary. When its scope closes, all are
 * given up.
 */
export const inFlightPushes = (
  partition: QueuePartition,
  pushAttempts: PushAttempts["Service"],
  leases: PushLeases,
  tell: (outcome: AttemptResult) => void,
): Effect.Effect<InFlightPushes, never, Scope.Scope> =>
  Effect.gen(function* () {
    const clock = yield* Clock.Clock;
    const fork = yield* FiberSet.makeRuntime<never, void>();
    /** The oldest first. */
    const open = new Set<Begun>();
    let taken: Array<number> = [];
    let isWatched = false;

    const over = ({ began, channel, service }: Begun, outcome: PushOutcome | null): void => {
      channel.services.over(service, leases.steadyNow() - began, outcome !== null && outcome !== unanswered);
      if (outcome?._tag === "Unavailable" && outcome.retryAfter !== null) {
        const now = clock.currentTimeMillisUnsafe();
        const until = channel.services.leaveAlone(service, now, outcome.retryAfter);
        channel.pausedUntil = Math.max(channel.pausedUntil, until);
      }
    };

    yield* Effect.addFinalizer(() =>
      Effect.suspend(() => {
        const left = open.size;
        for (const begun of open) {
          begun.giveUp();
          over(begun, null);
        }
        open.clear();
        if (left === 0) return Effect.void;
        return Effect.andThen(
          countUncertain(partition.transport, "stopped", left),
          Effect.logWarning("Pushes had no answer when their worker stopped: they are sent again").pipe(
            Effect.annotateLogs({ ...partition, pushes: left }),
          ),
        );
      }),
    );

    const finish = (begun: Begun, rest: Effect.Effect<PushOutcome>): void => {
      const { began, channel, push } = begun;
      let seen: PushOutcome | null = null;
      const noted = Effect.tap(rest, (outcome) =>
        Effect.sync(() => {
          seen = outcome;
        }),
      );
      fork(
        Effect.map(pushAttempts.finish(partition, channel, push, noted, began), tell).pipe(
          Effect.ensuring(Effect.sync(() => over(begun, seen))),
        ),
      );
    };

    /**
     * Gives up what has waited too long. One at a time, as the oldest has the least time left. A process that was held up may have their
     * answers and not have read them: it reads what there is first.
     */
    const watch = Effect.gen(function* () {
      let readAt = Number.NEGATIVE_INFINITY;
      for (const oldest of open) {
        const end = oldest.began + attemptTimeoutMillis;
        if (leases.steadyNow() < end) yield* Effect.sleep(end - leases.steadyNow());
        if (readAt < end) {
          yield* yieldToEventLoop;
          yield* yieldToEventLoop;
          readAt = leases.steadyNow();
        }
        if (!open.delete(oldest)) continue;
        oldest.giveUp();
        finish(oldest, Effect.succeed(unanswered));
      }
      isWatched = false;
    });

    const beginOne = (channel: OpenChannel, { content, push }: ReadyPush): void => {
      const service = channel.serviceOf(push.address);
      const began = leases.steadyNow();
      const begun: Begun = { channel, push, service, began, giveUp: nothingToGiveUp };
      open.add(begun);
      channel.services.begun(service);
      try {
        const id = messageId(push.sourceId, push.deviceKey);
        begun.giveUp = channel.send({ id, content, address: push.address }, (told) => {
          if (!open.delete(begun)) return;
          if (Effect.isEffect(told)) {
            finish(begun, told);
          } else if (told._tag === "Accepted") {
            channel.refusals = 0;
            over(begun, told);
            taken.push(leases.steadyNow() - begun.began);
            tell(delivered(push));
          } else {
            finish(begun, Effect.succeed(told));
          }
        });
      } catch (fault) {
        if (open.delete(begun)) finish(begun, Effect.die(fault));
      }
    };

    return {
      begin: Effect.fnUntraced(function* (channel, ready, now) {
        let began = performance.now();
        let late = 0;
        for (const each of ready) {
          // What is begun now is over, or given up, before anybody else may take it.
          if (leases.covers(each.push, attemptTimeoutMillis)) {
            beginOne(channel, each);
          } else {
            late += 1;
            tell(returned(each.push, now));
          }
          if (performance.now() - began < turn) continue;
          yield* Effect.yieldNow;
          began = performance.now();
        }
        if (!isWatched && open.size > 0) {
          isWatched = true;
          fork(watch);
        }
        return late;
      }),
      count: Effect.suspend(() => {
        if (taken.length === 0) return Effect.void;
        const millis = taken;
        taken = [];
        return countAccepted(partition.transport, millis);
      }),
    };
  });
