import { Clock, Effect } from "effect";
import type { Lane, PushQueueSql, TakenPush } from "./PushQueueSql.ts";

/** How long a taken push is held without a sign of life, in milliseconds: another worker takes it over after that. */
export const leaseMillis = 10_000;
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

/** The pushes of a lane that a worker has under way, kept from all others. */
export interface PushLeases {
  /** From its taking on. */
  readonly hold: (push: TakenPush, takenAt: number) => void;
  /** Its outcome is written down, or given up. */
  readonly release: (push: TakenPush) => void;
  /** Gives a sign of life for those that are due for one. Comes before every taking, or a worker that was held up might take its own. */
  readonly renew: Effect.Effect<void>;
  /** Renews for ever, whatever fails. */
  readonly beating: Effect.Effect<never>;
}

/** Leases of one lane at work. Whoever lost one all the same is found out by the fence when it settles. */
export const pushLeases = (repository: PushQueueSql["Service"], lane: Lane): PushLeases => {
  const held = new Map<TakenPush, number>();
  const renew = Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis;
    const due = [...held].flatMap(([push, since]) => (now - since >= renewedAfter ? [push] : []));
    if (due.length === 0) return;
    yield* repository.renew(lane, due, now, leaseMillis);
    for (const push of due) if (held.has(push)) held.set(push, now);
  });
  return {
    hold: (push, takenAt) => held.set(push, takenAt),
    release: (push) => held.delete(push),
    renew,
    beating: Effect.forever(
      Effect.andThen(
        Effect.sleep(beat),
        Effect.catchCause(renew, () => Effect.sleep(pause)),
      ),
    ),
  };
};
