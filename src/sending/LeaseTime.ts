import { Clock, Context, Effect, Layer, Schedule } from "effect";
import { currentDatabaseClock } from "../database/DatabaseClock.ts";
import { countClockSet, noteClockOffset } from "./push/LeaseMetrics.ts";

/** How often the clocks are compared. */
const lookMillis = 5_000;
/** Nothing is learned of a clock that took longer than so many milliseconds, there and back, to say what time it is. */
const slowest = 1_000;
/** A clock that is off by more than what it can be known to, and by so many milliseconds, was set. */
const noticed = 1_000;

/** Milliseconds of a clock that nobody sets: for spans of time within this process. */
export const steadyMillis = (clock: Clock.Clock): number =>
  Number(clock.monotonicTimeNanosUnsafe() / 1_000n) / 1_000;

/**
 * The time by which pushes are leased: one for all processes, or one whose clock is ahead would take what another has under way, and send
 * it again. It is this machine's unless a layer says otherwise, as in a process with a database of its own it may be.
 */
export const LeaseTime = Context.Reference<{
  /** Epoch milliseconds. */
  readonly now: Effect.Effect<number>;
  /** For how many milliseconds nobody may be taken for dead: the clock was set, and the others have to learn of it. */
  readonly unsureMillis: Effect.Effect<number>;
}>("waypost/sending/LeaseTime", {
  defaultValue: () => ({ now: Clock.currentTimeMillis, unsureMillis: Effect.succeed(0) }),
});

/**
 * A clock that others have too, asked every five seconds, and carried on between by one that nobody sets. When the shared clock itself is set,
 * nobody is taken for dead for `unsure` milliseconds and until all have learned of it.
 */
export const leaseTimeBy = Effect.fnUntraced(function* (shared: Effect.Effect<number>, unsure: number) {
  const clock = yield* Clock.Clock;
  let known: { readonly there: number; readonly at: number } | null = null;
  let unsureUntil = Number.NEGATIVE_INFINITY;

  const look = Effect.gen(function* () {
    const before = steadyMillis(clock);
    const there = yield* shared;
    const after = steadyMillis(clock);
    if (after - before > slowest) return;
    const accuracy = (after - before) / 2;
    const at = before + accuracy;
    const by = known === null ? 0 : there - (known.there + at - known.at);
    known = { there, at };
    yield* noteClockOffset(clock.currentTimeMillisUnsafe() - (after - at) - there);
    if (Math.abs(by) <= noticed + accuracy) return;
    unsureUntil = after + unsure + 2 * lookMillis;
    yield* countClockSet;
    yield* Effect.logWarning(
      "The clock of the database was set: what other workers have under way is left to them for a while",
    ).pipe(Effect.annotateLogs({ by_ms: Math.round(by) }));
  }).pipe(Effect.ignoreCause);

  yield* look;
  yield* Effect.forkScoped(Effect.repeat(look, Schedule.spaced(lookMillis)));
  return {
    now: Effect.sync(() =>
      known === null
        ? clock.currentTimeMillisUnsafe()
        : Math.floor(known.there + steadyMillis(clock) - known.at),
    ),
    unsureMillis: Effect.sync(() => Math.max(0, unsureUntil - steadyMillis(clock))),
  };
});

/** Leases by the database's clock: a machine whose own is wrong, or is set while it works, takes no work from another. */
export const leaseTimeOfDatabase = (unsure: number) =>
  Layer.effect(
    LeaseTime,
    Effect.flatMap(currentDatabaseClock, (shared) => leaseTimeBy(shared, unsure)),
  );
