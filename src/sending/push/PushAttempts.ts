import { Cause, Clock, Context, Effect, Layer, Random } from "effect";
import { obstacles } from "../../devices/Obstacle.ts";
import { monotonicMillis } from "../../time/MonotonicTime.ts";
import { noCredentials } from "../deliveries/Delivery.ts";
import { MessageIds } from "../deliveries/MessageId.ts";
import type { OpenChannel } from "./PushChannels.ts";
import { countAttempt, countUncertain } from "./PushMetrics.ts";
import type { Settlement } from "./PushOutcomesSql.ts";
import type { QueuePartition, TakenPush } from "./PushQueueSql.ts";
import { nextAttempt, tooLate } from "./PushRetries.ts";
import type { PushOutcome } from "./transports/PushTransport.ts";

/** The timeout of an attempt, in milliseconds. */
export const attemptTimeoutMillis = 10_000;

/** The outcome of an attempt that timed out. */
export const timedOut: PushOutcome = {
  _tag: "Unavailable",
  reason: `The push service gave no answer within ${attemptTimeoutMillis / 1000} seconds.`,
  retryAfter: null,
  mayHaveArrived: true,
};
const internalError: PushOutcome = {
  _tag: "Unavailable",
  reason: "Internal error while sending; see the server log.",
  retryAfter: null,
};

/** The result of taking a push: how to settle it, and whether its address is gone. */
export interface AttemptResult {
  readonly push: TakenPush;
  readonly settlement: Settlement;
  readonly isGone: boolean;
}

const settled = (
  push: TakenPush,
  verdict: Settlement["verdict"],
  error: string | null,
  more: { readonly dueAt?: number; readonly isGone?: boolean } = {},
): AttemptResult => {
  const { deviceKey, fence, sourceId } = push;
  const settlement: Settlement = { sourceId, deviceKey, fence, verdict, error, dueAt: more.dueAt ?? null };
  return { push, settlement, isGone: more.isGone ?? false };
};

/** The result for a push that its provider has accepted. */
export const delivered = (push: TakenPush): AttemptResult => settled(push, "delivered", null);

/** The result for a push that was taken but not sent: it is due again at `now`. */
export const returned = (push: TakenPush, now: number): AttemptResult =>
  settled(push, "returned", null, { dueAt: now });

/** The result for a push whose environment has no credentials. */
export const withoutCredentials = (push: TakenPush, { transport }: QueuePartition): AttemptResult =>
  settled(push, "failed", noCredentials(transport));

/** The result for a push whose texts cannot be rendered. `reason` is a sentence. */
export const unrendered = (push: TakenPush, reason: string): AttemptResult => settled(push, "failed", reason);

/** The result for a push that must not be sent; null for one that may. */
export const withheld = (push: TakenPush, now: number): AttemptResult | null => {
  const { attempts, createdAt, obstacle } = push;
  const late = tooLate(push, createdAt, now);
  if (obstacle === null) return late === null ? null : settled(push, "failed", late);
  // Never attempted: the stopped send did not reach this device.
  const isUntouched = obstacle === "stopped" && attempts === 1;
  return settled(push, isUntouched ? "dropped" : "failed", isUntouched ? null : obstacles[obstacle]);
};

/** Finishes attempts: decides how pushes are settled (contract L6, L7). */
export class PushAttempts extends Context.Service<PushAttempts>()("waypost/sending/PushAttempts", {
  make: Effect.gen(function* () {
    const { idOf, idsOf } = yield* MessageIds;
    const clock = yield* Clock.Clock;

    const classify = Effect.fnUntraced(function* (
      partition: QueuePartition,
      { pause }: OpenChannel,
      push: TakenPush,
      outcome: PushOutcome,
    ) {
      switch (outcome._tag) {
        case "Accepted":
          pause.credentialsAccepted();
          return delivered(push);
        case "Gone":
          pause.credentialsAccepted();
          return settled(push, "failed", outcome.reason, { isGone: true });
        case "Refused":
          return settled(push, "failed", outcome.reason);
        case "Unauthorized": {
          if (outcome.isOfPlatform === true) return settled(push, "failed", outcome.reason);
          const pausedMs = pause.credentialsRefused(yield* Clock.currentTimeMillis);
          if (pausedMs > 0) {
            yield* Effect.logWarning("A push provider refuses the credentials; pausing its pushes").pipe(
              Effect.annotateLogs({ ...partition, reason: outcome.reason, pausedMs }),
            );
          }
          return settled(push, "failed", outcome.reason);
        }
        case "Unavailable": {
          if (outcome.mayHaveArrived === true)
            yield* countUncertain({ transport: partition.transport, cause: "unanswered" });
          const now = yield* Clock.currentTimeMillis;
          const dueAt = nextAttempt(push, now, outcome.retryAfter, yield* Random.next);
          return dueAt === null
            ? settled(push, "failed", `${outcome.reason} It was tried ${push.attempts} times.`)
            : settled(push, "delayed", outcome.reason, { dueAt });
        }
      }
    });

    const logFailure = (partition: QueuePartition, push: TakenPush, cause: Cause.Cause<never>) =>
      Effect.logError("Sending a push failed", cause).pipe(
        Effect.annotateLogs({ ...partition, delivery: idOf(push) }),
      );

    return {
      /** The ids of pushes, in order: those of their messages. */
      idsOf: (pushes: ReadonlyArray<TakenPush>): ReadonlyArray<string> => idsOf(pushes),

      /** Finishes an attempt that began at `began` (monotonic milliseconds), within its timeout. */
      finish: Effect.fnUntraced(function* (
        partition: QueuePartition,
        channel: OpenChannel,
        push: TakenPush,
        rest: Effect.Effect<PushOutcome>,
        began: number,
      ) {
        const outcome = yield* rest.pipe(
          Effect.timeoutOrElse({
            duration: Math.max(1, began + attemptTimeoutMillis - monotonicMillis(clock)),
            orElse: () => Effect.succeed(timedOut),
          }),
          Effect.catchCause((cause) =>
            Cause.hasInterruptsOnly(cause)
              ? Effect.failCause(cause)
              : Effect.as(logFailure(partition, push, cause), internalError),
          ),
        );
        yield* countAttempt(partition.transport, outcome._tag, monotonicMillis(clock) - began);
        return yield* classify(partition, channel, push, outcome);
      }),
    };
  }),
}) {
  static readonly layer = Layer.effect(PushAttempts, PushAttempts.make).pipe(Layer.provide(MessageIds.layer));
}
