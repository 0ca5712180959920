import { Cause, Clock, Context, Effect, Layer, Random } from "effect";
import { PublicAddresses } from "../../http/PublicAddresses.ts";
import { shownMedia } from "../../media/MediaAddress.ts";
import { countUncertain } from "./LeaseMetrics.ts";
import { LeaseTime, steadyMillis } from "../LeaseTime.ts";
import { messageId } from "../MessageId.ts";
import { type OpenChannel, PushChannels } from "./PushChannels.ts";
import { countAttempt } from "./PushMetrics.ts";
import type { PushContent } from "./PushPayload.ts";
import type { Settlement } from "./PushOutcomesSql.ts";
import { type QueuePartition, PushQueueSql, type TakenPush } from "./PushQueueSql.ts";
import { nextAttempt, tooLate } from "./PushRetries.ts";
import type { PushOutcome } from "./transports/PushTransport.ts";

/** So long a push service may take for one push, in milliseconds. */
export const attemptTimeoutMillis = 10_000;

/** The push service took longer. */
export const unanswered: PushOutcome = {
  _tag: "Unavailable",
  reason: `The push service gave no answer within ${attemptTimeoutMillis / 1000} seconds.`,
  retryAfter: null,
  mayHaveArrived: true,
};
const ownFault: PushOutcome = {
  _tag: "Unavailable",
  reason: "It could not be handed over for a fault of Waypost's own: see its log.",
  retryAfter: null,
};

/** What became of a push, and whether its address is gone. */
export interface AttemptResult {
  readonly push: TakenPush;
  readonly settlement: Settlement;
  readonly isGone: boolean;
}

const obstacles: Readonly<Record<NonNullable<TakenPush["obstacle"]>, string>> = {
  stopped: "Its send was stopped.",
  closing: "The workspace is scheduled for deletion.",
  unregistered: "The device has unregistered.",
  moved: "The device has registered another transport since.",
  gone: "The push service has said that the device's address is gone.",
  unapproved: "The device is no approved test device any more.",
};

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

/** What becomes of a push that its service has taken. */
export const delivered = (push: TakenPush): AttemptResult => settled(push, "delivered", null);

/** What becomes of a push that was taken and is not handed over: somebody may take it at `now`. */
export const returned = (push: TakenPush, now: number): AttemptResult =>
  settled(push, "returned", null, { dueAt: now });

/** What becomes of a push that is not handed over at all; null for one that is. */
export const withheld = (push: TakenPush, now: number): AttemptResult | null => {
  const { attempts, createdAt, obstacle } = push;
  const late = tooLate(push, createdAt, now);
  if (obstacle === null) return late === null ? null : settled(push, "failed", late);
  // Nobody has seen anything of it, so its send was not for this device.
  const isUntouched = obstacle === "stopped" && attempts === 1;
  return settled(push, isUntouched ? "dropped" : "failed", isUntouched ? null : obstacles[obstacle]);
};

/** Knows what pushes say, and what their outcomes come to by contract L6 and L7. */
export class PushAttempts extends Context.Service<PushAttempts>()("waypost/sending/PushAttempts", {
  make: Effect.gen(function* () {
    const repository = yield* PushQueueSql;
    const channels = yield* PushChannels;
    const { media: mediaBase } = yield* PublicAddresses;
    const leaseTime = yield* LeaseTime;
    const clock = yield* Clock.Clock;

    const classify = Effect.fnUntraced(function* (
      partition: QueuePartition,
      channel: OpenChannel,
      push: TakenPush,
      outcome: PushOutcome,
    ) {
      switch (outcome._tag) {
        case "Accepted":
          channel.refusals = 0;
          return delivered(push);
        case "Gone":
          channel.refusals = 0;
          return settled(push, "failed", outcome.reason, { isGone: true });
        case "Refused":
          return settled(push, "failed", outcome.reason);
        case "Unauthorized": {
          const millis = yield* channels.pause(channel);
          if (millis > 0) {
            yield* Effect.logWarning(
              "A push service refuses the credentials: it is left alone for a while",
            ).pipe(Effect.annotateLogs({ ...partition, reason: outcome.reason, pausedMs: millis }));
          }
          return settled(push, "failed", outcome.reason);
        }
        case "Unavailable": {
          if (outcome.mayHaveArrived === true) yield* countUncertain(partition.transport, "unanswered", 1);
          const now = yield* leaseTime.now;
          const dueAt = nextAttempt(push, now, outcome.retryAfter, yield* Random.next);
          return dueAt === null
            ? settled(push, "failed", `${outcome.reason} It was tried ${push.attempts} times.`)
            : settled(push, "delayed", outcome.reason, { dueAt });
        }
      }
    });

    return {
      /** What the pushes say, by `contentKey`; what is known already is kept. */
      contents: Effect.fnUntraced(function* (
        partition: QueuePartition,
        known: Map<string, PushContent>,
        pushes: ReadonlyArray<TakenPush>,
      ) {
        const missing = new Map(
          pushes.filter((push) => !known.has(contentKey(push))).map((push) => [contentKey(push), push]),
        );
        if (missing.size === 0) return;
        const rows = yield* repository.contents(partition, [...missing.values()]);
        for (const { media, ...row } of rows) {
          known.set(contentKey(row), { ...row, media: shownMedia(mediaBase, media) });
        }
      }),

      /** What becomes of one whose outcome is known. */
      classify,

      /** What becomes of one, handed over at `began` (of a clock that nobody sets), of which not all that it takes has been done; not for ever. */
      finish: Effect.fnUntraced(function* (
        partition: QueuePartition,
        channel: OpenChannel,
        push: TakenPush,
        rest: Effect.Effect<PushOutcome>,
        began: number,
      ) {
        const outcome = yield* rest.pipe(
          Effect.timeoutOrElse({
            duration: Math.max(1, began + attemptTimeoutMillis - steadyMillis(clock)),
            orElse: () => Effect.succeed(unanswered),
          }),
          Effect.catchCause((cause) =>
            Cause.hasInterruptsOnly(cause)
              ? Effect.failCause(cause)
              : Effect.as(
                  Effect.logError("A push could not be handed over", cause).pipe(
                    Effect.annotateLogs({ ...partition, delivery: messageId(push.sourceId, push.deviceKey) }),
                  ),
                  ownFault,
                ),
          ),
        );
        yield* countAttempt(partition.transport, outcome._tag, steadyMillis(clock) - began);
        return yield* classify(partition, channel, push, outcome);
      }),
    };
  }),
}) {
  static readonly layer = Layer.effect(PushAttempts, PushAttempts.make).pipe(
    Layer.provide(PushQueueSql.layer),
  );
}

/** What tells contents of a lane apart. */
export const contentKey = ({
  campaignKey,
  contentKey,
}: {
  readonly campaignKey: number;
  readonly contentKey: number;
}): string => `${contentKey}/${campaignKey}`;
