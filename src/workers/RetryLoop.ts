import { Cause, Effect } from "effect";
import { type JobName, observedRun } from "./JobMetrics.ts";
import { Database } from "../database/Database.ts";

/** Runs a chore for ever. It is tried again every second while it fails, and that is said once. */
export const retryForever = (job: JobName, what: string, run: Effect.Effect<void>) =>
  Effect.gen(function* () {
    let isFailing = false;
    const told = Effect.catchCause(Effect.asSome(observedRun(job, run)), (cause) => {
      if (Cause.hasInterruptsOnly(cause)) return Effect.failCause(cause);
      const say = isFailing
        ? Effect.void
        : Database.isUnavailable(cause)
          ? Effect.logWarning(`${what} waits for the database`)
          : Effect.logError(`${what} failed`, cause);
      isFailing = true;
      return Effect.as(Effect.andThen(say, Effect.sleep("1 second")), null);
    });
    while (true) {
      if ((yield* told) === null || !isFailing) continue;
      isFailing = false;
      yield* Effect.logInfo(`${what} goes on`);
    }
  });
