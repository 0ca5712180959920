import { Clock, Effect } from "effect";
import { monotonicMillis } from "../../time/MonotonicTime.ts";
import type { PushQueueSql, QueuePartition, TakenPush } from "./PushQueueSql.ts";

/**
 * How long a taken push is leased without a heartbeat, in milliseconds; another worker takes it over after
 * that. Longer than the timeout of an attempt: one that starts in time ends in time, even if all heartbeats
 * fail.
 */
export const leaseMillis = 15_000;
/** When a lease is renewed, how often that is checked, and when a failed renewal is retried. */
const renewMillis = 3_000;
const heartbeatInterval = "1 second";
const retryPause = "500 millis";
/**
 * How long a worker that has seen the database unavailable waits before it takes pushes again. Leases have
 * expired meanwhile, and their holders must be able to settle first.
 */
export const reconnectPause = "2 seconds";

/** Names a push: the key of its delivery. */
type PushKey = Pick<TakenPush, "sourceId" | "deviceKey">;
const keyOf = ({ deviceKey, sourceId }: PushKey): string => `${sourceId}/${deviceKey}`;

/** The leases of the pushes that a worker has in flight. Instants are monotonic milliseconds. */
export interface PushLeases {
  readonly now: () => number;
  /** Holds a push whose taking began at `since`. */
  readonly hold: (push: TakenPush, since: number) => void;
  readonly holds: (push: TakenPush) => boolean;
  /** Continues to hold a push that this worker took again itself, because its heartbeats had failed. */
  readonly adopt: (push: TakenPush) => void;
  /** Whether no other worker can take the push for so many milliseconds. */
  readonly covers: (push: TakenPush, millis: number) => boolean;
  /** The fencing token to settle the push with. */
  readonly fenceOf: (push: TakenPush) => number;
  readonly release: (push: TakenPush) => void;
  /** Renews leases of at least this age (milliseconds; 3 seconds if left out). Precedes every taking. */
  readonly renew: (minAge?: number) => Effect.Effect<void>;
  /** Renews leases forever, also after failures. */
  readonly heartbeats: Effect.Effect<never>;
}

interface Lease {
  readonly push: TakenPush;
  fence: number;
  /** When the last successful renewal began, or the taking. */
  since: number;
}

/** Leases of one worker. Losing one is detected by the fencing token when the push is settled. */
export const pushLeases = (
  repository: PushQueueSql["Service"],
  partition: QueuePartition,
): Effect.Effect<PushLeases> =>
  Effect.gen(function* () {
    const clock = yield* Clock.Clock;
    const held = new Map<string, Lease>();
    const now = (): number => monotonicMillis(clock);

    const renew = Effect.fnUntraced(function* (minAge = renewMillis) {
      const since = now();
      const due = [...held.values()].filter((lease) => since - lease.since >= minAge);
      if (due.length === 0) return;
      const pushes = due.map(({ fence, push }) => ({ ...push, fence }));
      // The result lacks pushes that another worker has taken or is taking.
      const current = clock.currentTimeMillisUnsafe();
      for (const push of yield* repository.renew(partition, pushes, current, leaseMillis)) {
        const lease = held.get(keyOf(push));
        if (lease !== undefined) lease.since = since;
      }
    });

    return {
      now,
      hold: (push, since) => held.set(keyOf(push), { push, fence: push.fence, since }),
      holds: (push) => held.has(keyOf(push)),
      adopt: (push) => {
        const lease = held.get(keyOf(push));
        if (lease !== undefined) lease.fence = push.fence;
      },
      covers: (push, millis) => {
        const lease = held.get(keyOf(push));
        return lease !== undefined && now() + millis <= lease.since + leaseMillis;
      },
      fenceOf: (push) => held.get(keyOf(push))?.fence ?? push.fence,
      release: (push) => held.delete(keyOf(push)),
      renew,
      heartbeats: Effect.forever(
        Effect.andThen(
          Effect.sleep(heartbeatInterval),
          Effect.catchCause(renew(), () => Effect.sleep(retryPause)),
        ),
      ),
    };
  });
