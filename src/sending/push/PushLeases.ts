import { Clock, Effect } from "effect";
import { LeaseTime, steadyMillis } from "../LeaseTime.ts";
import type { QueuePartition, PushQueueSql, TakenPush } from "./PushQueueSql.ts";

/**
 * How long a taken push is held without a sign of life, in milliseconds: another worker takes it over after that. Longer than a hand-over may
 * take, so that one that is begun in time is over in time, whatever becomes of the signs.
 */
export const leaseMillis = 15_000;
/** A push that is held for so long gets a sign of life; it is looked for this often. */
const renewedAfter = 3_000;
const beat = "1 second";
/** How soon it is tried again while the database is away. */
const pause = "500 millis";
/**
 * How long whoever has seen the database away waits before taking pushes again: leases ran out meanwhile, and those who hold them
 * are to come first with what they know.
 */
export const takeoverGrace = "2 seconds";

/** Names one push: its delivery. */
type PushKey = Pick<TakenPush, "sourceId" | "deviceKey">;
const keyOf = ({ deviceKey, sourceId }: PushKey): string => `${sourceId}/${deviceKey}`;

/** The pushes of a lane that a worker has under way, kept from all others. Instants are of a clock that nobody sets, in milliseconds. */
export interface PushLeases {
  readonly steadyNow: () => number;
  /** From its taking on, which began at `since`. */
  readonly hold: (push: TakenPush, since: number) => void;
  /** Whether this worker has it under way. */
  readonly holds: (push: TakenPush) => boolean;
  /** One that this worker has under way was taken once more: by itself, when no sign of life came through. It stays the same push. */
  readonly adopt: (push: TakenPush) => void;
  /** Whether it is surely nobody else's for so many milliseconds from now. */
  readonly covers: (push: TakenPush, millis: number) => boolean;
  /** What its outcome is written down under. */
  readonly fenceOf: (push: TakenPush) => number;
  /** Its outcome is written down, or given up. */
  readonly release: (push: TakenPush) => void;
  /** Gives a sign of life for those that are due for one: held for so long without. Comes before every taking. */
  readonly renew: (after?: number) => Effect.Effect<void>;
  /** Renews for ever, whatever fails. */
  readonly beating: Effect.Effect<never>;
}

interface Held {
  readonly push: TakenPush;
  fence: number;
  /** When the last sign of life was given that came through, or its taking began. */
  since: number;
}

/** Leases of one lane at work. Whoever lost one all the same is found out by the fence when it settles. */
export const pushLeases = (
  repository: PushQueueSql["Service"],
  partition: QueuePartition,
): Effect.Effect<PushLeases> =>
  Effect.gen(function* () {
    const clock = yield* Clock.Clock;
    const leaseTime = yield* LeaseTime;
    const held = new Map<string, Held>();
    const steadyNow = (): number => steadyMillis(clock);

    const renew = Effect.fnUntraced(function* (after = renewedAfter) {
      const since = steadyNow();
      const due = [...held.values()].filter((each) => since - each.since >= after);
      if (due.length === 0) return;
      const pushes = due.map(({ fence, push }) => ({ ...push, fence }));
      // Those that another has, or is about to take, are not among them.
      for (const push of yield* repository.renew(partition, pushes, yield* leaseTime.now, leaseMillis)) {
        const mine = held.get(keyOf(push));
        if (mine !== undefined) mine.since = since;
      }
    });

    return {
      steadyNow,
      hold: (push, since) => held.set(keyOf(push), { push, fence: push.fence, since }),
      holds: (push) => held.has(keyOf(push)),
      adopt: (push) => {
        const mine = held.get(keyOf(push));
        if (mine !== undefined) mine.fence = push.fence;
      },
      covers: (push, millis) => {
        const mine = held.get(keyOf(push));
        return mine !== undefined && steadyNow() + millis <= mine.since + leaseMillis;
      },
      fenceOf: (push) => held.get(keyOf(push))?.fence ?? push.fence,
      release: (push) => held.delete(keyOf(push)),
      renew,
      beating: Effect.forever(
        Effect.andThen(
          Effect.sleep(beat),
          Effect.catchCause(renew(), () => Effect.sleep(pause)),
        ),
      ),
    };
  });
