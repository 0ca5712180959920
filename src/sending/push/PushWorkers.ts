import { Cause, Clock, Context, Effect, Layer, Queue } from "effect";
import { Database } from "../../database/Database.ts";
import { noCredentials } from "../Delivery.ts";
import { countLost, countUncertain } from "./LeaseMetrics.ts";
import { LeaseTime } from "../LeaseTime.ts";
import { messageId } from "../MessageId.ts";
import { type OpenChannel, PushChannels } from "./PushChannels.ts";
import { contentKey, type AttemptResult, PushAttempts, withheld } from "./PushAttempts.ts";
import { leaseMillis, type PushLeases, pushLeases, takeoverGrace } from "./PushLeases.ts";
import { PushOutcomes } from "./PushOutcomes.ts";
import type { PushContent } from "./PushPayload.ts";
import { type QueuePartition, PushQueueSql, type TakenPush } from "./PushQueueSql.ts";
import { type InFlightPushes, inFlightPushes, yieldToEventLoop } from "./InFlightPushes.ts";

/** Pushes of a lane that a process has under way at once. */
const maxInFlight = 512;
/** Pushes that are taken at once at least, however few of the last ones their services had room for. */
const fewAtOnce = 16;
const mostContents = 500;
/** A taking that took so many milliseconds is followed by a sign of life, or too little of its lease were left. */
const slowTaking = 1_000;
/** How long a worker that stops may take to write down what it knows. */
const lastWords = "1 second";
/** So many pushes are named where they are told of. */
const namedAtMost = 5;

/** A taken push that has a channel and something to say, or whose service has enough to do for now, or what became of it without. */
type Prepared =
  | { readonly _tag: "ready"; readonly push: TakenPush; readonly content: PushContent }
  | { readonly _tag: "later"; readonly push: TakenPush & { readonly dueAt: number } }
  | { readonly _tag: "settled"; readonly outcome: AttemptResult };

/** A lane at work in this process. */
export interface PushWorker {
  /** Tells it that more is due. */
  readonly look: Effect.Effect<void>;
  /** It takes no more; what is under way comes to its end. */
  readonly stop: Effect.Effect<void>;
  /** Ends when nothing is due and nothing under way. */
  readonly run: Effect.Effect<void>;
}

/** Works off the pushes of one environment to one push service: a slow or broken service holds up nobody else's. */
export class PushWorkers extends Context.Service<PushWorkers>()("waypost/sending/PushWorkers", {
  make: Effect.gen(function* () {
    const database = yield* Database;
    const repository = yield* PushQueueSql;
    const channels = yield* PushChannels;
    const pushAttempts = yield* PushAttempts;
    const outcomesOf = yield* PushOutcomes;
    const leaseTime = yield* LeaseTime;

    /** Takes what is due, and writes down what will be handed over before it is (contract L5). */
    const take = Effect.fnUntraced(function* (
      partition: QueuePartition,
      channel: OpenChannel | null,
      contents: Map<string, PushContent>,
      leases: PushLeases,
      most: number,
    ) {
      const now = yield* Clock.currentTimeMillis;
      const shared = yield* leaseTime.now;
      const all = yield* repository.take(partition, shared, leaseMillis, most, {
        begun: (yield* leaseTime.unsureMillis) > 0 ? 0 : shared,
        // Whoever made it took the time from a clock of a machine.
        fresh: Math.max(shared, now),
      });
      const own = all.filter((push) => leases.holds(push));
      const taken = all.filter((push) => !leases.holds(push));
      if (contents.size > mostContents) contents.clear();
      yield* pushAttempts.contents(partition, contents, taken);
      const admission = channel?.services.admission(now);
      const prepared = taken.map((push): Prepared => {
        const outcome =
          withheld(push, now) ?? (channel === null ? withoutCredentials(partition, push) : null);
        if (outcome !== null) return { _tag: "settled", outcome };
        const content = contents.get(contentKey(push));
        const dueAt = admission?.(channel?.serviceOf(push.address) ?? "") ?? null;
        if (dueAt !== null) return { _tag: "later", push: { ...push, dueAt } };
        // A delivery names a content and a campaign that was: nothing deletes either.
        if (content === undefined) throw new Error("A push has no content");
        return { _tag: "ready", push, content };
      });
      const ready = prepared.flatMap((each) => (each._tag === "ready" ? [each.push] : []));
      if (ready.length > 0) yield* repository.recordAttempts(partition, ready);
      const later = prepared.flatMap((each) => (each._tag === "later" ? [each.push] : []));
      if (later.length > 0) yield* repository.putOff(partition, later);
      return { prepared, own, isAll: all.length < most };
    }, database.atomically);

    /** What another worker began, and did not live to tell of, may arrive twice: that is said. */
    const tellUncertain = Effect.fnUntraced(function* (
      partition: QueuePartition,
      ready: ReadonlyArray<TakenPush>,
    ) {
      const uncertain = ready.filter(({ isUncertain }) => isUncertain);
      if (uncertain.length === 0) return;
      yield* countUncertain(partition.transport, "taken_over", uncertain.length);
      yield* Effect.logWarning(
        "Pushes are handed over again, as nobody told what became of them: they may arrive twice",
      ).pipe(
        Effect.annotateLogs({
          ...partition,
          pushes: uncertain.length,
          among_them: uncertain
            .slice(0, namedAtMost)
            .map(({ deviceKey, sourceId }) => messageId(sourceId, deviceKey))
            .join(" "),
        }),
      );
    });

    return {
      /** A lane that is to be worked off. */
      at: Effect.fnUntraced(function* (partition: QueuePartition) {
        const bell = yield* Queue.sliding<void>(1);
        const contents = new Map<string, PushContent>();
        const leases = yield* pushLeases(repository, partition);
        let isStopped = false;
        let isMore = true;
        let inFlight = 0;
        // More are taken when no more than so many are under way.
        let enough = (maxInFlight * 3) / 4;
        // So many are taken at once: about as many as their services have room for.
        let appetite = maxInFlight;
        let arrived: Array<AttemptResult> = [];

        const start = Effect.fnUntraced(function* (pushes: InFlightPushes) {
          const channel = yield* channels.of(partition);
          const now = yield* Clock.currentTimeMillis;
          if (channel !== null && now < channel.pausedUntil) return false;
          // Credentials that were refused are tried with one push.
          const room = (channel?.refusals ?? 0) > 0 ? 1 - inFlight : maxInFlight - inFlight;
          if (room <= 0) return false;
          yield* leases.renew();
          const most = Math.min(room, appetite);
          const since = leases.steadyNow();
          const { isAll, own, prepared } = yield* take(partition, channel, contents, leases, most);
          for (const push of own) leases.adopt(push);
          const ready = prepared.flatMap((each) => (each._tag === "ready" ? [each] : []));
          if (channel !== null && ready.length > 0) {
            inFlight += ready.length;
            for (const { push } of ready) leases.hold(push, since);
            if (leases.steadyNow() - since > slowTaking) yield* Effect.ignoreCause(leases.renew(slowTaking));
            yield* tellUncertain(
              partition,
              ready.map(({ push }) => push),
            );
            const returned = yield* pushes
              .begin(channel, ready, yield* leaseTime.now)
              .pipe(spanOf("push.hand_over", partition, ready));
            if (returned > 0) yield* countLost(partition.transport, "before", returned);
          }
          const settledNow = prepared.flatMap((each) => (each._tag === "settled" ? [each.outcome] : []));
          if (settledNow.length > 0) yield* outcomesOf.settle(partition, leases, settledNow);
          const isCrowded = prepared.some(({ _tag }) => _tag === "later");
          if (isCrowded && ready.length > 0) {
            // What comes next is likely for the same services: they finish some first.
            appetite = Math.max(fewAtOnce, Math.ceil(ready.length * 1.25));
            enough = Math.floor((inFlight * 3) / 4);
          } else {
            // Behind those that are all put off there may be others.
            appetite = isCrowded ? maxInFlight : Math.min(maxInFlight, 2 * appetite);
            enough = (maxInFlight * 3) / 4;
          }
          return !isAll;
        });

        /** While the database is away, or something else goes wrong, nothing is taken, and what is under way goes on. */
        const startIfThere = (pushes: InFlightPushes) =>
          Effect.catchCauseIf(
            start(pushes),
            (cause) => inFlight > 0 && !Cause.hasInterruptsOnly(cause),
            (cause) =>
              (Database.isUnavailable(cause)
                ? Effect.void
                : Effect.logError("Pushes could not be taken: tried again", cause)
              ).pipe(Effect.andThen(Effect.sleep(takeoverGrace)), Effect.as(true)),
          );

        /** Writes down what has arrived; it stays until it is written. */
        const settleArrived = Effect.gen(function* () {
          const outcomes = [...arrived];
          if (outcomes.length > 0)
            yield* outcomesOf
              .settle(partition, leases, outcomes)
              .pipe(spanOf("push.settle", partition, outcomes));
          arrived = arrived.slice(outcomes.length);
          inFlight -= outcomes.length;
          for (const { push } of outcomes) leases.release(push);
        });

        const run = Effect.scoped(
          Effect.gen(function* () {
            // Of a worker that is stopped while it writes, too.
            yield* Effect.addFinalizer(() =>
              Effect.ignoreCause(Effect.timeout(Effect.interruptible(settleArrived), lastWords)),
            );
            const pushes = yield* inFlightPushes(partition, pushAttempts, leases, (outcome) => {
              if (arrived.push(outcome) === 1) Queue.offerUnsafe(bell, undefined);
            });
            yield* Effect.forkScoped(leases.beating);
            while (true) {
              if (isMore && !isStopped && inFlight <= enough) {
                // Whoever says meanwhile that there is more is heard.
                isMore = false;
                if (yield* startIfThere(pushes)) isMore = true;
              }
              if (inFlight === 0) {
                if (isMore && !isStopped) continue;
                return;
              }
              if (arrived.length === 0) {
                yield* Queue.take(bell);
                // Answers come in flocks: the next ones are settled with the first.
                yield* yieldToEventLoop;
              }
              yield* settleArrived;
              yield* pushes.count;
            }
          }),
        );

        const atWork: PushWorker = {
          look: Effect.sync(() => {
            isMore = true;
            enough = (maxInFlight * 3) / 4;
            Queue.offerUnsafe(bell, undefined);
          }),
          stop: Effect.sync(() => {
            isStopped = true;
          }),
          run: Effect.catchCause(run, (cause) =>
            Cause.hasInterruptsOnly(cause)
              ? Effect.failCause(cause)
              : Database.isUnavailable(cause)
                ? Effect.logWarning("Pushes wait for the database")
                : Effect.logError("Pushes could not be worked off", cause).pipe(
                    Effect.annotateLogs({ ...partition }),
                  ),
          ),
        };
        return atWork;
      }),

      /** Whether the lane's push service is left alone for now. */
      isPaused: (partition: QueuePartition, now: number): boolean =>
        (channels.known(partition)?.pausedUntil ?? 0) > now,
    };
  }),
}) {
  static readonly layer = Layer.effect(PushWorkers, PushWorkers.make).pipe(
    Layer.provide(PushAttempts.layer),
    Layer.provide([PushChannels.layer, PushQueueSql.layer, PushOutcomes.layer]),
  );
}

/** A trace of many pushes at once, which names their messages' numbers: one for each would be ten thousand a second. */
const spanOf = (
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
      "waypost.send_nos": [...new Set(pushes.map(({ push }) => String(push.sourceId)))].slice(0, namedAtMost),
    },
  });

const withoutCredentials = ({ transport }: QueuePartition, push: TakenPush): AttemptResult => ({
  push,
  isGone: false,
  settlement: {
    sourceId: push.sourceId,
    deviceKey: push.deviceKey,
    fence: push.fence,
    verdict: "failed",
    error: noCredentials(transport),
    dueAt: null,
  },
});
