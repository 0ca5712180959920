import { Clock, Context, Effect, Layer, Schedule } from "effect";
import type { SqlClient } from "effect/sql";
import { monotonicMillis } from "../time/MonotonicTime.ts";
import { countClockStep, noteClockOffset } from "./ClockMetrics.ts";
import { currentDatabaseClock } from "./DatabaseClock.ts";
import { epochAt, firstTime, nextTime, type SharedTime } from "./SharedTime.ts";

/** How often the shared clock is read, in milliseconds. */
const readMillis = 5_000;
/** How often the first reading is retried, once a second. */
const maxFirstRetries = 30;

/**
 * For how many more milliseconds workers must not take over the leases of others, and their jobs wait:
 * above 0 after the shared clock was set, until all processes have noticed.
 */
export const NoTakeover = Context.Reference<Effect.Effect<number>>("waypost/database/NoTakeover", {
  defaultValue: () => Effect.succeed(0),
});

/** The machine's clock, with the time of day of another one. */
const clockWith = (machine: Clock.Clock, nowMillis: () => number): Clock.Clock => ({
  currentTimeMillisUnsafe: nowMillis,
  currentTimeMillis: Effect.sync(nowMillis),
  currentTimeNanosUnsafe: () => BigInt(nowMillis()) * 1_000_000n,
  currentTimeNanos: Effect.sync(() => BigInt(nowMillis()) * 1_000_000n),
  monotonicTimeNanosUnsafe: () => machine.monotonicTimeNanosUnsafe(),
  monotonicTimeNanos: machine.monotonicTimeNanos,
  sleep: (duration) => machine.sleep(duration),
});

/**
 * A `Clock` that shows the time of a shared clock: reads that every five seconds, and continues by the
 * monotonic clock in between. Completes after the first reading. After a step of the shared clock, workers
 * take over nothing for `leaseMillis` and until all of them have read it again.
 */
export const sharedClock = Effect.fnUntraced(function* (shared: Effect.Effect<number>, leaseMillis: number) {
  const machine = yield* Clock.Clock;
  const reading = Effect.gen(function* () {
    const before = monotonicMillis(machine);
    const epochMillis = yield* shared;
    return { epochMillis, before, after: monotonicMillis(machine) };
  });
  const noteOffset = Effect.suspend(() =>
    noteClockOffset(machine.currentTimeMillisUnsafe() - epochAt(time, monotonicMillis(machine))),
  );

  const first = yield* reading.pipe(
    Effect.catchDefect(Effect.fail),
    Effect.retry({ schedule: Schedule.spaced("1 second"), times: maxFirstRetries }),
    Effect.orDie,
  );
  let time: SharedTime = firstTime(first);
  let noTakeoverUntil = Number.NEGATIVE_INFINITY;
  yield* noteOffset;

  const readAgain = Effect.gen(function* () {
    const found = yield* reading;
    const next = nextTime(time, found);
    if (next.stepMillis !== 0) noTakeoverUntil = found.after + leaseMillis + 2 * readMillis;
    time = next.time;
    yield* noteOffset;
    if (next.stepMillis === 0) return;
    yield* countClockStep;
    yield* Effect.logWarning(
      "The database's clock was set; workers take over no pushes until all of them have noticed",
    ).pipe(Effect.annotateLogs({ by_ms: next.stepMillis }));
  });
  yield* Effect.forkScoped(
    Effect.forever(Effect.andThen(Effect.sleep(readMillis), Effect.ignoreCause(readAgain))),
  );
  return Context.make(
    Clock.Clock,
    clockWith(machine, () => epochAt(time, monotonicMillis(machine))),
  ).pipe(
    Context.add(
      NoTakeover,
      Effect.sync(() => Math.max(0, noTakeoverUntil - monotonicMillis(machine))),
    ),
  );
});

/**
 * Makes the database's clock the `Clock` of the layers that it is provided to, and of all their fibers. What
 * several processes decide together (starts, leases, retries, rate limit windows) then goes by one clock, and
 * a machine with a wrong clock does no harm.
 */
export const databaseTime = (leaseMillis: number): Layer.Layer<never, never, SqlClient.SqlClient> =>
  Layer.effectContext(Effect.flatMap(currentDatabaseClock, (shared) => sharedClock(shared, leaseMillis)));
