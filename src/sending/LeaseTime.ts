import { Clock, Context, Effect, Layer, Schedule } from "effect";
import { currentDatabaseClock } from "../database/DatabaseClock.ts";
import { countClockStep, noteClockOffset } from "./push/LeaseMetrics.ts";

/** How often the shared clock is read, in milliseconds. */
const readMillis = 5_000;
/** The slowest round trip of a reading that is used, in milliseconds. */
const maxRoundTripMillis = 1_000;
/** The smallest step of the shared clock that counts, in milliseconds, beyond the reading's uncertainty. */
const minStepMillis = 1_000;

/** Milliseconds of a monotonic clock, for spans of time within this process. */
export const monotonicMillis = (clock: Clock.Clock): number =>
  Number(clock.monotonicTimeNanosUnsafe() / 1_000n) / 1_000;

/**
 * The time that push leases use. All processes must share it: one whose clock is ahead would take the
 * in-flight pushes of another and send them twice. The default is this machine's clock, which is enough for a
 * process with its own database.
 */
export const LeaseTime = Context.Reference<{
  /** Epoch milliseconds. */
  readonly now: Effect.Effect<number>;
  /**
   * For how many more milliseconds workers must not take over the pushes of others. Above 0 after the shared
   * clock was set, until all workers have noticed.
   */
  readonly noTakeoverMillis: Effect.Effect<number>;
}>("waypost/sending/LeaseTime", {
  defaultValue: () => ({ now: Clock.currentTimeMillis, noTakeoverMillis: Effect.succeed(0) }),
});

/** A reading of the shared clock: its epoch milliseconds at a monotonic instant. */
interface Reading {
  readonly epochMillis: number;
  readonly at: number;
}

const epochAt = (reading: Reading, at: number): number => reading.epochMillis + at - reading.at;

/**
 * Lease time by a shared clock: reads it every five seconds and continues by the monotonic clock in between.
 * After a step of the shared clock, workers take over nothing for `leaseMillis` and until all of them have
 * read it again.
 */
export const leaseTimeBy = Effect.fnUntraced(function* (shared: Effect.Effect<number>, leaseMillis: number) {
  const clock = yield* Clock.Clock;
  let last: Reading | null = null;
  let noTakeoverUntil = Number.NEGATIVE_INFINITY;

  const read = Effect.gen(function* () {
    const before = monotonicMillis(clock);
    const epochMillis = yield* shared;
    const after = monotonicMillis(clock);
    if (after - before > maxRoundTripMillis) return;
    const uncertainty = (after - before) / 2;
    const at = before + uncertainty;
    const step = last === null ? 0 : epochMillis - epochAt(last, at);
    last = { epochMillis, at };
    yield* noteClockOffset(clock.currentTimeMillisUnsafe() - (after - at) - epochMillis);
    if (Math.abs(step) <= minStepMillis + uncertainty) return;
    noTakeoverUntil = after + leaseMillis + 2 * readMillis;
    yield* countClockStep;
    yield* Effect.logWarning(
      "The database's clock was set; workers take over no pushes until all of them have noticed",
    ).pipe(Effect.annotateLogs({ by_ms: Math.round(step) }));
  }).pipe(Effect.ignoreCause);

  yield* read;
  yield* Effect.forkScoped(Effect.repeat(read, Schedule.spaced(readMillis)));
  return {
    now: Effect.sync(() =>
      last === null ? clock.currentTimeMillisUnsafe() : Math.floor(epochAt(last, monotonicMillis(clock))),
    ),
    noTakeoverMillis: Effect.sync(() => Math.max(0, noTakeoverUntil - monotonicMillis(clock))),
  };
});

/** Lease time by the database's clock: a machine with a wrong clock takes no pushes from other workers. */
export const leaseTimeOfDatabase = (leaseMillis: number) =>
  Layer.effect(
    LeaseTime,
    Effect.flatMap(currentDatabaseClock, (shared) => leaseTimeBy(shared, leaseMillis)),
  );
