import { Clock, Context, Effect, Layer } from "effect";
import { Database } from "../../database/Database.ts";
import { NoTakeover } from "../../database/SharedClock.ts";
import { PublicAddresses } from "../../http/PublicAddresses.ts";
import { shownMedia } from "../../media/MediaAddress.ts";
import { mapSliced } from "../../workers/TimeSlices.ts";
import { PacedPushesSql } from "../pacing/PacedPushesSql.ts";
import type { KeptFacts } from "../rendering/KeptFacts.ts";
import { Recipients } from "../rendering/Recipients.ts";
import type { ReadyPush } from "./InFlightPushes.ts";
import { CachedContent } from "./CachedContent.ts";
import { type AttemptResult, unrendered, withheld, withoutCredentials } from "./PushAttempts.ts";
import type { OpenChannel } from "./PushChannels.ts";
import { countCut } from "./PushMetrics.ts";
import { leaseMillis, type PushLeases } from "./PushLeases.ts";
import { type PushContentKey, PushQueueSql, type QueuePartition, type TakenPush } from "./PushQueueSql.ts";
import { PushReturnsSql } from "./PushReturnsSql.ts";

/** How many contents a worker caches. */
const maxContents = 500;

/** Due pushes that a worker has taken from its partition. */
export interface PushBatch {
  /** To send now; their attempts are recorded. */
  readonly ready: ReadonlyArray<ReadyPush>;
  /** Not to be sent. */
  readonly settled: ReadonlyArray<AttemptResult>;
  /** Pushes that this worker has in flight already, and took again. */
  readonly own: ReadonlyArray<TakenPush>;
  /** Whether some were postponed, because their push services have no room. */
  readonly isCrowded: boolean;
  /** Whether nothing else was due. */
  readonly isAll: boolean;
}

/** Names a content within a queue partition. */
const contentName = ({ campaignKey, contentKey, words }: PushContentKey): string =>
  `${contentKey}/${campaignKey}/${words ?? ""}`;

/** Takes due pushes from the queue, and records the attempts before they start (contract L5). */
export class PushBatches extends Context.Service<PushBatches>()("waypost/sending/PushBatches", {
  make: Effect.gen(function* () {
    const database = yield* Database;
    const repository = yield* PushQueueSql;
    const paced = yield* PacedPushesSql;
    const returns = yield* PushReturnsSql;
    const { media: mediaBase } = yield* PublicAddresses;
    const recipients = yield* Recipients;
    const noTakeoverMillis = yield* NoTakeover;

    /** Adds the missing contents of pushes to the cache. */
    const loadContents = Effect.fnUntraced(function* (
      partition: QueuePartition,
      cache: Map<string, CachedContent>,
      pushes: ReadonlyArray<TakenPush>,
    ) {
      if (cache.size > maxContents) cache.clear();
      const missing = new Map(
        pushes.filter((push) => !cache.has(contentName(push))).map((push) => [contentName(push), push]),
      );
      if (missing.size === 0) return;
      for (const { media, template, translations, variantTexts = null, ...row } of yield* repository.contents(
        partition,
        [...missing.values()],
      )) {
        const content = { ...row, media: shownMedia(mediaBase, media), language: null };
        cache.set(contentName(row), new CachedContent(content, { template, translations, variantTexts }));
      }
    });

    /**
     * The contents of pushes for their devices, in order. Reads nothing if they are the same for all, or of
     * their recipients as their deliveries keep them.
     */
    const render = Effect.fnUntraced(function* (
      { environment, workspaceId }: QueuePartition,
      cache: ReadonlyMap<string, CachedContent>,
      pushes: ReadonlyArray<TakenPush>,
      now: number,
    ) {
      const isVarying = (push: TakenPush) => cache.get(contentName(push))?.isSameForAll === false;
      const varying = pushes.filter(isVarying);
      const found = yield* recipients.of(
        varying.map((push) => ({
          workspaceId,
          environment,
          ...push,
          now: push.recipient === null ? now : push.madeAt,
        })),
      );
      const byPush = new Map(varying.map((push, index) => [push, found[index]]));
      return yield* mapSliced(pushes, (push) => {
        const content = cache.get(contentName(push));
        // Contents and campaigns that a delivery names are never deleted.
        if (content === undefined) throw new Error("A push has no content");
        const recipient = byPush.get(push);
        if (recipient === undefined) return { content: content.forAll, kept: null };
        // A delivery that waited for its pace keeps what it is rendered from now.
        const isFirst = push.hasPermit && push.recipient === null;
        return {
          content: content.for(recipient),
          kept: isFirst ? { ...content.kept(recipient), at: now } : null,
        };
      });
    });

    return {
      /** Takes up to `limit` pushes. `contents` is the worker's cache. */
      take: Effect.fnUntraced(function* (
        partition: QueuePartition,
        channel: OpenChannel | null,
        contents: Map<string, CachedContent>,
        leases: PushLeases,
        limit: number,
      ) {
        const now = yield* Clock.currentTimeMillis;
        const all = yield* repository.take(partition, now, leaseMillis, limit, {
          attempted: (yield* noTakeoverMillis) > 0 ? 0 : now,
          fresh: now,
        });
        const own = all.filter((push) => leases.holds(push));
        const taken = all.filter((push) => !leases.holds(push));
        yield* loadContents(partition, contents, taken);

        const limiter = channel?.concurrency.limiter(now);
        const ready: Array<ReadyPush> = [];
        const settled: Array<AttemptResult> = [];
        const sendable: Array<TakenPush> = [];
        const postponed: Array<TakenPush & { readonly dueAt: number }> = [];
        const waiting: Array<TakenPush> = [];
        const keeping: Array<TakenPush & { readonly kept: KeptFacts }> = [];
        const moved: Array<TakenPush> = [];
        for (const push of taken) {
          const obstacle = withheld(push, now);
          if (obstacle === null && push.hasMoved && !push.mustWait) {
            moved.push(push);
            continue;
          }
          const result = obstacle ?? (channel === null ? withoutCredentials(push, partition) : null);
          const dueAt = result === null ? (limiter?.(channel?.serviceOf(push.address) ?? "") ?? null) : null;
          if (result !== null) settled.push(result);
          else if (push.mustWait) waiting.push(push);
          else if (dueAt !== null) postponed.push({ ...push, dueAt });
          else sendable.push(push);
        }
        const rendered = yield* render(partition, contents, sendable, now);
        for (const [index, push] of sendable.entries()) {
          const { content, kept = null } = rendered[index] ?? {};
          if (typeof content === "string") settled.push(unrendered(push, content));
          else if (content !== undefined) {
            ready.push({ push, content });
            if (kept !== null) keeping.push({ ...push, kept });
          }
        }
        if (ready.length > 0) {
          const cuts = ready.map(({ content }) => channel?.cutOf(content) ?? []);
          yield* repository.recordAttempts(
            partition,
            ready.map(({ push }, index) => ({ ...push, cut: cuts[index] ?? [] })),
          );
          for (const field of new Set(cuts.flat())) {
            const count = cuts.filter((cut) => cut.includes(field)).length;
            yield* countCut({ transport: partition.transport, field }, count);
          }
        }
        if (keeping.length > 0) yield* paced.keep(partition, keeping);
        if (waiting.length > 0) yield* paced.wait(partition, waiting);
        if (moved.length > 0) yield* returns.move(partition, moved, now);
        if (postponed.length > 0) yield* returns.postpone(partition, postponed);
        return {
          ready,
          settled,
          own,
          isCrowded: postponed.length > 0,
          isAll: all.length < limit,
        } satisfies PushBatch;
      }, database.atomically),
    };
  }),
}) {
  static readonly layer = Layer.effect(PushBatches, PushBatches.make).pipe(
    Layer.provide([PushQueueSql.layer, PacedPushesSql.layer, PushReturnsSql.layer, Recipients.layer]),
  );
}
