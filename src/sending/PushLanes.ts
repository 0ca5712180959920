import { Cause, Clock, Context, Effect, Exit, Layer, Queue } from "effect";
import { Database } from "../database/Database.ts";
import { noCredentials } from "./Delivery.ts";
import { type OpenChannel, PushChannels } from "./PushChannels.ts";
import { contentKey, type HandedOver, PushHandOver, withheld } from "./PushHandOver.ts";
import { leaseMillis, pushLeases, takeoverGrace } from "./PushLeases.ts";
import { countSettled } from "./PushMetrics.ts";
import type { PushContent } from "./PushPayload.ts";
import { type Lane, PushQueueSql, type TakenPush } from "./PushQueueSql.ts";
import { type PushesUnderWay, pushesUnderWay } from "./PushesUnderWay.ts";
import { SendBatchesSql } from "./SendBatchesSql.ts";
import { tellDone } from "./SendMetrics.ts";

/** How long outcomes wait for a database that is away, in milliseconds. */
const outcomePatience = 60_000;
/** Pushes of a lane that a process has under way at once. */
const mostUnderWay = 512;
/** Pushes that are taken at once at least, however few of the last ones their services had room for. */
const fewAtOnce = 16;
const mostContents = 500;

/** A taken push that has a channel and something to say, or whose service has enough to do for now, or what became of it without. */
type Prepared =
  | { readonly _tag: "ready"; readonly push: TakenPush; readonly content: PushContent }
  | { readonly _tag: "later"; readonly push: TakenPush & { readonly dueAt: number } }
  | { readonly _tag: "settled"; readonly outcome: HandedOver };

/** Lets the process do whatever it has to do by now. */
const turnOfOthers = Effect.callback<void>((resume) => {
  const later = setImmediate(() => resume(Effect.void));
  return Effect.sync(() => clearImmediate(later));
});

/** A lane at work in this process. */
export interface LaneAtWork {
  /** Tells it that more is due. */
  readonly look: Effect.Effect<void>;
  /** It takes no more; what is under way comes to its end. */
  readonly stop: Effect.Effect<void>;
  /** Ends when nothing is due and nothing under way. */
  readonly run: Effect.Effect<void>;
}

/** Works off the pushes of one environment to one push service: a slow or broken service holds up nobody else's. */
export class PushLanes extends Context.Service<PushLanes>()("waypost/sending/PushLanes", {
  make: Effect.gen(function* () {
    const database = yield* Database;
    const repository = yield* PushQueueSql;
    const channels = yield* PushChannels;
    const handing = yield* PushHandOver;
    const batches = yield* SendBatchesSql;

    /** Takes what is due, and writes down what will be handed over before it is (contract L5). */
    const take = Effect.fnUntraced(function* (
      lane: Lane,
      channel: OpenChannel | null,
      contents: Map<string, PushContent>,
      most: number,
    ) {
      const now = yield* Clock.currentTimeMillis;
      const taken = yield* repository.take(lane, now, leaseMillis, most);
      if (contents.size > mostContents) contents.clear();
      yield* handing.contents(lane, contents, taken);
      const admission = channel?.services.admission(now);
      const prepared = taken.map((push): Prepared => {
        const outcome = withheld(push, now) ?? (channel === null ? withoutCredentials(lane, push) : null);
        if (outcome !== null) return { _tag: "settled", outcome };
        const content = contents.get(contentKey(push));
        const dueAt = admission?.(channel?.serviceOf(push.address) ?? "") ?? null;
        if (dueAt !== null) return { _tag: "later", push: { ...push, dueAt } };
        // A delivery names a content and a campaign that was: nothing deletes either.
        if (content === undefined) throw new Error("A push has no content");
        return { _tag: "ready", push, content };
      });
      const ready = prepared.flatMap((each) => (each._tag === "ready" ? [each.push] : []));
      if (ready.length > 0) yield* repository.handOver(lane, ready);
      const later = prepared.flatMap((each) => (each._tag === "later" ? [each.push] : []));
      if (later.length > 0) yield* repository.putOff(lane, later);
      return prepared;
    }, database.atomically);

    const write = Effect.fnUntraced(function* (lane: Lane, outcomes: ReadonlyArray<HandedOver>) {
      const now = yield* Clock.currentTimeMillis;
      const settlements = outcomes.map(({ settlement }) => settlement);
      yield* repository.holdSends(lane, settlements);
      const counted = yield* repository.settle(lane, settlements, now);
      const gone = outcomes.filter(({ isGone }) => isGone).map(({ push }) => push);
      if (gone.length > 0) yield* repository.markGone(lane, gone, now);
      const complete = counted.filter(({ isComplete }) => isComplete);
      return (yield* Effect.forEach(complete, ({ origin }) =>
        batches.finish({ ...lane, origin }, now),
      )).flat();
    }, database.atomically);

    /** Outcomes are dear: while the database is away they wait for it. Those of pushes that another took meanwhile do not count. */
    const settle = Effect.fnUntraced(function* (lane: Lane, outcomes: ReadonlyArray<HandedOver>) {
      const until = (yield* Clock.currentTimeMillis) + outcomePatience;
      let wasAway = false;
      let written = yield* Effect.exit(write(lane, outcomes));
      while (Exit.isFailure(written) && Database.isUnavailable(written.cause)) {
        wasAway = true;
        if ((yield* Clock.currentTimeMillis) >= until) break;
        yield* Effect.sleep("500 millis");
        written = yield* Effect.exit(write(lane, outcomes));
      }
      for (const finished of yield* written) yield* tellDone(lane.environment, finished);
      for (const verdict of ["delivered", "failed", "delayed", "dropped"] as const) {
        const count = outcomes.filter(({ settlement }) => settlement.verdict === verdict).length;
        if (count > 0) yield* countSettled(lane.transport, verdict, count);
      }
      if (wasAway) yield* Effect.sleep(takeoverGrace);
    });

    return {
      /** A lane that is to be worked off. */
      at: Effect.fnUntraced(function* (lane: Lane) {
        const bell = yield* Queue.sliding<void>(1);
        const contents = new Map<string, PushContent>();
        const leases = pushLeases(repository, lane);
        let isStopped = false;
        let isMore = true;
        let underWay = 0;
        // More are taken when no more than so many are under way.
        let enough = (mostUnderWay * 3) / 4;
        // So many are taken at once: about as many as their services have room for.
        let appetite = mostUnderWay;
        let arrived: Array<HandedOver> = [];

        const start = Effect.fnUntraced(function* (pushes: PushesUnderWay) {
          const channel = yield* channels.of(lane);
          const now = yield* Clock.currentTimeMillis;
          if (channel !== null && now < channel.pausedUntil) return false;
          // Credentials that were refused are tried with one push.
          const room = (channel?.refusals ?? 0) > 0 ? 1 - underWay : mostUnderWay - underWay;
          if (room <= 0) return false;
          yield* leases.renew;
          const most = Math.min(room, appetite);
          const prepared = yield* take(lane, channel, contents, most);
          const settledNow = prepared.flatMap((each) => (each._tag === "settled" ? [each.outcome] : []));
          if (settledNow.length > 0) yield* settle(lane, settledNow);
          const ready = prepared.flatMap((each) => (each._tag === "ready" ? [each] : []));
          if (channel !== null && ready.length > 0) {
            underWay += ready.length;
            for (const { push } of ready) leases.hold(push, now);
            yield* pushes.begin(channel, ready);
          }
          const isCrowded = prepared.some(({ _tag }) => _tag === "later");
          if (isCrowded && ready.length > 0) {
            // What comes next is likely for the same services: they finish some first.
            appetite = Math.max(fewAtOnce, Math.ceil(ready.length * 1.25));
            enough = Math.floor((underWay * 3) / 4);
          } else {
            // Behind those that are all put off there may be others.
            appetite = isCrowded ? mostUnderWay : Math.min(mostUnderWay, 2 * appetite);
            enough = (mostUnderWay * 3) / 4;
          }
          return prepared.length === most;
        });

        /** While the database is away nothing is taken, and what is under way goes on. */
        const startIfThere = (pushes: PushesUnderWay) =>
          Effect.catchCauseIf(
            start(pushes),
            (cause) => underWay > 0 && Database.isUnavailable(cause),
            () => Effect.as(Effect.sleep(takeoverGrace), true),
          );

        const run = Effect.scoped(
          Effect.gen(function* () {
            const pushes = yield* pushesUnderWay(lane, handing, (outcome) => {
              if (arrived.push(outcome) === 1) Queue.offerUnsafe(bell, undefined);
            });
            yield* Effect.forkScoped(leases.beating);
            while (true) {
              if (isMore && !isStopped && underWay <= enough) {
                // Whoever says meanwhile that there is more is heard.
                isMore = false;
                if (yield* startIfThere(pushes)) isMore = true;
              }
              if (underWay === 0) {
                if (isMore && !isStopped) continue;
                return;
              }
              if (arrived.length === 0) {
                yield* Queue.take(bell);
                // Answers come in flocks: the next ones are settled with the first.
                yield* turnOfOthers;
              }
              const outcomes = arrived;
              arrived = [];
              underWay -= outcomes.length;
              if (outcomes.length > 0) yield* settle(lane, outcomes);
              for (const { push } of outcomes) leases.release(push);
              yield* pushes.count;
            }
          }),
        );

        const atWork: LaneAtWork = {
          look: Effect.sync(() => {
            isMore = true;
            enough = (mostUnderWay * 3) / 4;
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
                    Effect.annotateLogs({ ...lane }),
                  ),
          ),
        };
        return atWork;
      }),

      /** Whether the lane's push service is left alone for now. */
      isPaused: (lane: Lane, now: number): boolean => (channels.known(lane)?.pausedUntil ?? 0) > now,
    };
  }),
}) {
  static readonly layer = Layer.effect(PushLanes, PushLanes.make).pipe(
    Layer.provide(PushHandOver.layer),
    Layer.provide([PushChannels.layer, PushQueueSql.layer, SendBatchesSql.layer]),
  );
}

const withoutCredentials = ({ transport }: Lane, push: TakenPush): HandedOver => ({
  push,
  isGone: false,
  settlement: {
    origin: push.origin,
    deviceNo: push.deviceNo,
    fence: push.fence,
    verdict: "failed",
    error: noCredentials(transport),
    dueAt: null,
  },
});
