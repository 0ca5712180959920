import { Clock, Context, Effect, Layer } from "effect";
import { Database } from "../../database/Database.ts";
import { NoTakeover } from "../../database/SharedClock.ts";
import { Transport } from "../../devices/PushAddress.ts";
import { Worker } from "../../workers/Worker.ts";
import { eachApart } from "../../workers/WorkspaceTurns.ts";
import type { TenantKey } from "../../workspaces/Environment.ts";
import { attemptTimeoutMillis } from "../push/PushAttempts.ts";
import {
  freePermits,
  type HeldPermits,
  isFlowing,
  type PacedSend,
  paceOf,
  type PaceScope,
  permitMillis,
  sharesOf,
  withTaken,
} from "./Pace.ts";
import { countPermits } from "./PaceMetrics.ts";
import { PaceLedgerSql } from "./PaceLedgerSql.ts";
import { PacingSql, type UsedPermits } from "./PacingSql.ts";

const pollInterval = "250 millis";
/** The most deliveries of a send that get permits in one transaction. */
const maxReleased = 10_000;
const minuteMillis = 60_000;
/** The key of the limit of an environment; campaigns have theirs. */
const ofEnvironment = 0;

/**
 * Gives the deliveries of paced sends their permits (contract T5, docs/decisions/0066). A delivery waits in
 * the push queue until a worker gives it a permit, in a transaction that has locked the limits and counted
 * the permits that are taken: those of pushes that are due or in flight, and those of answers of the last
 * minute. So a permit outlives every process: it is free a minute after the answer, whichever process gets
 * that.
 */
export class Pacing extends Context.Service<Pacing>()("waypost/sending/Pacing", {
  make: Effect.gen(function* () {
    const database = yield* Database;
    const repository = yield* PacingSql;
    const ledger = yield* PaceLedgerSql;
    const noTakeoverMillis = yield* NoTakeover;

    /** Dates the answers that are new. The clock is read after they were seen, so after their commit. */
    const dateAnswers = Effect.gen(function* () {
      const seen = yield* ledger.undated((yield* noTakeoverMillis) > 0);
      if (seen.length === 0) return;
      const now = yield* Clock.currentTimeMillis;
      yield* ledger.date(seen, now, now - 2 * minuteMillis);
    });

    /** A limit that is new begins with what the last minute had (contract Y11). */
    const begin = Effect.fnUntraced(function* (tenant: TenantKey, campaignKey: number, now: number) {
      yield* repository.forget(tenant, campaignKey);
      const until = now + attemptTimeoutMillis;
      yield* ledger.add(yield* repository.sentSince(tenant, campaignKey, now - minuteMillis, until));
    });

    /** Locks the limits of sends and counts their permits. */
    const lockScopes = Effect.fnUntraced(function* (tenant: TenantKey, sends: ReadonlyArray<PacedSend>) {
      const limits = new Map<number, number>();
      for (const { campaignKey, campaignLimit, isOpen, workspaceLimit } of sends) {
        if (workspaceLimit !== null) limits.set(ofEnvironment, workspaceLimit);
        if (campaignLimit !== null && isOpen) limits.set(campaignKey, campaignLimit);
      }
      const keys = [...limits.keys()].toSorted((one, other) => one - other);
      const before = yield* Clock.currentTimeMillis;
      const locked = keys.length === 0 ? [] : yield* repository.lock(tenant, keys, before);
      // An environment's record has those of its campaigns.
      const isRecorded = locked.some(({ campaignKey, isNew }) => campaignKey === ofEnvironment && !isNew);
      const begun = locked.filter(({ isNew }) => isNew && !isRecorded);
      const first = begun.find(({ campaignKey }) => campaignKey === ofEnvironment);
      for (const { campaignKey } of first === undefined ? begun : [first])
        yield* begin(tenant, campaignKey, before);
      const held = yield* repository.held(tenant);
      const now = yield* Clock.currentTimeMillis;
      const used = yield* repository.used(tenant, now - permitMillis);
      const campaigns = new Map<bigint, number>(
        sends.map(({ campaignKey, sourceId }) => [sourceId, campaignKey]),
      );
      const count = (key: number) => {
        const isOwn = (of: number | null | undefined) => key === ofEnvironment || of === key;
        const sum = (rows: ReadonlyArray<{ readonly permits: number }>) =>
          rows.reduce((total, { permits }) => total + permits, 0);
        return (
          sum(held.filter(({ sourceId }) => isOwn(campaigns.get(sourceId)))) +
          sum(used.filter(({ campaignKey }) => isOwn(campaignKey)))
        );
      };
      const scopes = new Map(
        locked.map(({ campaignKey, nextAt }) => {
          const limit = limits.get(campaignKey) ?? 0;
          return [campaignKey, { campaignKey, limit, nextAt, used: count(campaignKey) }];
        }),
      );
      return { scopes, held, used, now };
    });

    /** Gives permits to the sends of one environment. Returns the sends that need none any more. */
    const releaseIn = Effect.fnUntraced(function* (tenant: TenantKey, sends: ReadonlyArray<PacedSend>) {
      const { held, now, scopes, used } = yield* lockScopes(tenant, sends);
      const before = new Map(scopes);
      const ended: Array<PacedSend> = [];
      let given = 0;
      for (const { most, send } of sharesOf(sends, lastPartOf(held, used, now), now)) {
        const pace = paceOf(send);
        const own = send.isOpen && pace !== null ? scopesOf(scopes, send) : [];
        const permits = Math.min(most, maxReleased, ...own.map((scope) => freePermits(scope, now)));
        if (permits === 0) continue;
        const isFree = pace === null || !send.isOpen ? () => true : isFlowing(held, send, pace);
        const transports = Transport.literals.filter(isFree);
        const released = yield* repository.release(send, transports, permits, send.isOpen);
        given += released;
        for (const scope of own) scopes.set(scope.campaignKey, withTaken(scope, released, now));
        const isLeft = released > 0 || held.some(({ sourceId }) => sourceId === send.sourceId);
        if (!send.isOpen && !isLeft) ended.push(send);
      }
      const changed = [...scopes.values()].filter((scope) => before.get(scope.campaignKey) !== scope);
      if (changed.length > 0) yield* repository.advance(tenant, changed);
      return { ended, given };
    }, database.atomically);

    /** Gives all permits that are free now. */
    const releaseDue = Effect.gen(function* () {
      yield* dateAnswers;
      const sends = yield* repository.sends;
      const environments = Map.groupBy(sends, (send) => `${send.workspaceId}/${send.environment}`);
      yield* eachApart(
        environments.values(),
        Effect.fnUntraced(function* (own) {
          const [first] = own;
          if (first === undefined) return;
          const { environment, workspaceId } = first;
          const { ended, given } = yield* releaseIn({ workspaceId, environment }, own);
          if (given > 0) yield* countPermits({}, given);
          if (ended.length > 0) yield* repository.end(ended);
        }),
      );
    });

    yield* Worker.every("pace", pollInterval, releaseDue, { runsAfterStep: true, isTraced: false });
    return { releaseDue };
  }),
}) {
  static readonly layer = Layer.effect(Pacing, Pacing.make).pipe(
    Layer.provide([PacingSql.layer, PaceLedgerSql.layer]),
  );
}

type Scopes = ReadonlyMap<number, PaceScope & { readonly campaignKey: number }>;

/** The limits that a send is under. */
const scopesOf = (scopes: Scopes, { campaignKey, campaignLimit, workspaceLimit }: PacedSend) =>
  [
    ...(workspaceLimit === null ? [] : [scopes.get(ofEnvironment)]),
    ...(campaignLimit === null ? [] : [scopes.get(campaignKey)]),
  ].filter((scope) => scope !== undefined);

/** When sends last had a delivery sent: now, while any is. */
const lastPartOf =
  (held: ReadonlyArray<HeldPermits>, used: ReadonlyArray<UsedPermits>, now: number) =>
  ({ sourceId, startedAt }: PacedSend): number => {
    if (held.some((each) => each.sourceId === sourceId)) return now;
    const answers = used.filter((each) => each.sourceId === sourceId);
    return Math.max(startedAt, ...answers.map(({ answeredAt }) => answeredAt ?? now));
  };
