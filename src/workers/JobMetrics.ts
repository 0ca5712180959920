/** What workers do beside answering, as it is seen from outside: whether it runs, fails, and when it last came to its end. */
import { Cause, Clock, Effect, Exit, Metric } from "effect";

const runs = Metric.counter("waypost_job_runs_total", {
  description:
    "Runs of what workers do beside answering, by chore and outcome: done, or failed (it is tried again).",
  incremental: true,
});

const lastDone = Metric.gauge("waypost_job_last_success_timestamp_seconds", {
  description: "When a chore of this process last came to its end, in seconds since 1970.",
});

/** The chores, by the names that their metrics have. */
export type JobName =
  | "send_starts"
  | "send_batches"
  | "pushes"
  | "rollups"
  | "retention"
  | "thumbnails"
  | "media_sweeping"
  | "idempotency_pruning";

/** Those that look for work several times a second begin traces themselves, once they have found some. */
const begins = new Set<JobName>(["send_starts", "send_batches", "pushes"]);

/** Counts each run of the effect; one that is interrupted was neither done nor failed. */
export const observedRun = <A, E, R>(job: JobName, run: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> => {
  const done = Metric.withAttributes(runs, { job, outcome: "done" });
  const failed = Metric.withAttributes(runs, { job, outcome: "failed" });
  const last = Metric.withAttributes(lastDone, { job });
  const note = Effect.andThen(
    Metric.update(done, 1),
    Effect.flatMap(Clock.currentTimeMillis, (now) => Metric.update(last, Math.round(now / 1000))),
  );
  const traced = begins.has(job) ? run : Effect.withSpan(run, `job.${job}`, { root: true });
  return Effect.onExit(traced, (exit) => {
    if (Exit.isSuccess(exit)) return note;
    return Cause.hasInterruptsOnly(exit.cause) ? Effect.void : Metric.update(failed, 1);
  });
};
