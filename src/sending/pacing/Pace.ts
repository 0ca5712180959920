/** The rules by which deliveries get permits (contract T5). Durations are in milliseconds. */
import type { Transport } from "../../devices/PushAddress.ts";
import type { TenantKey } from "../../workspaces/Environment.ts";
import type { CampaignKey } from "../../wire/Ids.ts";

/**
 * How long a permit stays taken after its answer. Beyond a minute: by how much the clocks of two processes
 * may differ, which both show the database's time.
 */
export const permitMillis = 60_100;
/** The time over which a limit's permits are given. */
const spreadMillis = 60_000;
/** Permits that nobody gave in time are given together, of up to so long. */
const maxBurstMillis = 5_000;
/** After so long without a permit, a send comes before those that are due earlier. */
const maxWaitMillis = 30_000;

/** Whether a push counts for a pace, as the queue has it. */
export const permit = { none: 0, waiting: 1, held: 2 } as const;

/** The limit of an environment or a campaign, with the permits that are taken. */
export interface PaceScope {
  readonly limit: number;
  readonly used: number;
  /** When the next permit may be given, in epoch milliseconds. */
  readonly nextAt: number;
}

const base = ({ nextAt }: PaceScope, now: number): number => Math.max(nextAt, now - maxBurstMillis);

/** How many permits can be given now. */
export const freePermits = (scope: PaceScope, now: number): number => {
  const from = base(scope, now);
  const due = from > now ? 0 : Math.floor(((now - from) * scope.limit) / spreadMillis) + 1;
  return Math.max(0, Math.min(due, scope.limit - scope.used));
};

/** A scope after permits were given. */
export const withTaken = <S extends PaceScope>(scope: S, permits: number, now: number): S => ({
  ...scope,
  used: scope.used + permits,
  nextAt: base(scope, now) + (permits * spreadMillis) / scope.limit,
});

/** A send whose deliveries wait for permits. Instants are epoch milliseconds. */
export interface PacedSend extends TenantKey {
  readonly sourceId: bigint;
  readonly id: string;
  readonly campaignKey: CampaignKey;
  readonly dueAt: number;
  readonly startedAt: number;
  /** Whether it runs; what a stopped one has left in the queue waits no longer. */
  readonly isOpen: boolean;
  readonly campaignLimit: number | null;
  readonly workspaceLimit: number | null;
}

/** The limit in force; null for none. */
export const paceOf = ({ campaignLimit, workspaceLimit }: PacedSend): number | null => {
  const least = Math.min(campaignLimit ?? Infinity, workspaceLimit ?? Infinity);
  return Number.isFinite(least) ? least : null;
};

/** The permits that a send gets at most, one share after the other. */
export interface Share {
  readonly send: PacedSend;
  readonly most: number;
}

/**
 * The turns of sends: by due time, then id; but first, those that have waited long get a second's worth
 * (contract Y31). `lastPart`: when a send last had a delivery sent.
 */
export const sharesOf = (
  sends: ReadonlyArray<PacedSend>,
  lastPart: (send: PacedSend) => number,
  now: number,
): ReadonlyArray<Share> => {
  const byDue = sends.toSorted((a, b) => a.dueAt - b.dueAt || (a.id < b.id ? -1 : 1));
  const starved = byDue
    .filter((send) => paceOf(send) !== null && now - lastPart(send) >= maxWaitMillis)
    .toSorted((a, b) => lastPart(a) - lastPart(b));
  return [
    ...starved.map((send) => ({ send, most: Math.ceil((paceOf(send) ?? 0) / 60) })),
    ...byDue.map((send) => ({ send, most: Infinity })),
  ];
};

/** Pushes of a send to one transport that hold permits. */
export interface HeldPermits {
  readonly sourceId: bigint;
  readonly transport: Transport;
  readonly permits: number;
  /** Pushes that no worker has taken from the queue. */
  readonly untaken: number;
}

/**
 * The transports that take what they are given. One that leaves a tenth of a pace in the queue, as its
 * provider is slow or refuses the credentials, gets no more permits until then, so that the others have them.
 */
export const isFlowing = (held: ReadonlyArray<HeldPermits>, { sourceId }: PacedSend, pace: number) => {
  const stuck = held.filter(
    (each) => each.sourceId === sourceId && each.untaken >= Math.max(1, Math.floor(pace / 10)),
  );
  return (transport: Transport): boolean => !stuck.some((each) => each.transport === transport);
};
