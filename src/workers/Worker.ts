/** Background jobs: one loop for all of them, with retries, logs, metrics and traces. */
import { Cause, Duration, Effect } from "effect";
import { Settings } from "../config/Settings.ts";
import { Database } from "../database/Database.ts";
import { NoTakeover } from "../database/SharedClock.ts";
import { type JobName, observedRun } from "./JobMetrics.ts";

/** Bounds of the pause after a failed run. */
const retryBounds = { minimum: Duration.seconds(1), maximum: Duration.minutes(1) };

/** Options of a job besides its name, pause and run. */
export interface JobOptions {
  /** Ends the pause early: completes as soon as there may be work. */
  readonly wake?: Effect.Effect<void>;
  /** False for a job that polls several times a second: it traces only the work it finds. */
  readonly isTraced?: boolean;
  /** True for a job that has a rule of its own for a clock that was set, and runs then, too. */
  readonly runsAfterStep?: boolean;
}

/** Waits for the pause, or for the wake-up if that comes first. Without a pause it returns at once. */
const waitFor = (pause: Duration.Duration, wake: Effect.Effect<void> | undefined): Effect.Effect<void> => {
  if (Duration.isZero(pause)) return Effect.void;
  return wake === undefined ? Effect.sleep(pause) : Effect.raceFirst(Effect.sleep(pause), wake);
};

/**
 * Runs a job forever, with `pause` after each run. A failed run is retried after the pause, but after at
 * least a second and at most a minute. The first failure of a series is logged, and so is the recovery; the
 * failures in between only count.
 */
const loop = Effect.fnUntraced(function* <E, R>(
  name: JobName,
  pause: Duration.Duration,
  run: Effect.Effect<unknown, E, R>,
  { runsAfterStep = false, isTraced = true, wake }: JobOptions,
) {
  const retryPause = Duration.clamp(pause, retryBounds);
  const noTakeoverMillis = yield* NoTakeover;
  let isFailing = false;
  while (true) {
    // A short jump of the clock makes nothing due, late or old, and no lease end.
    while (!runsAfterStep && (yield* noTakeoverMillis) > 0) yield* Effect.sleep(retryPause);
    const failure = yield* observedRun(name, run, isTraced).pipe(
      Effect.as(null),
      Effect.catchCause((cause) =>
        Cause.hasInterruptsOnly(cause) ? Effect.interrupt : Effect.succeed(cause),
      ),
    );
    if (failure === null) {
      if (isFailing) yield* Effect.logInfo(`The job ${name} works again`);
    } else if (!isFailing) {
      yield* Database.isUnavailable(failure)
        ? Effect.logWarning(`The job ${name} waits for the database`)
        : Effect.logError(`The job ${name} failed`, failure);
    }
    isFailing = failure !== null;
    yield* failure === null ? waitFor(pause, wake) : Effect.sleep(retryPause);
  }
});

/** Starts background jobs. */
export const Worker = {
  /**
   * Runs a job in the background until the scope closes: once at the start, then with `pause` after each run.
   * Processes without the role `worker` start nothing. All others run the job, and share its work by locks or
   * leases in the database.
   */
  every: Effect.fnUntraced(function* <E, R>(
    name: JobName,
    pause: Duration.Input,
    run: Effect.Effect<unknown, E, R>,
    options: JobOptions = {},
  ) {
    const { roles } = yield* Settings;
    if (!roles.has("worker")) return;
    yield* Effect.forkScoped(loop(name, Duration.fromInputUnsafe(pause), run, options));
  }),
};
