/** Metrics and traces of background jobs. */
import { Cause, Clock, Effect, Exit, Metric } from "effect";
import { knownSeries } from "../telemetry/KnownSeries.ts";

const jobNames = [
  "send_starts",
  "send_batches",
  "dwells",
  "held_deliveries",
  "pushes",
  "push_queue_depth",
  "webhook_calls",
  "webhook_queue",
  "webhook_pruning",
  "rollups",
  "retention",
  "thumbnails",
  "media_sweeping",
  "idempotency_pruning",
  "failed_attempt_pruning",
  "activity_pruning",
  "erasures",
  "table_statistics",
] as const;

/** The names of the jobs, as metrics and logs show them. */
export type JobName = (typeof jobNames)[number];

const runs = knownSeries(
  Metric.counter("waypost_job_runs_total", {
    description: "Runs of background jobs, by name and outcome: done, or failed (the run is retried).",
    incremental: true,
  }),
  { name: jobNames, outcome: ["done", "failed"] },
);

const lastSuccess = Metric.gauge("waypost_job_last_success_timestamp_seconds", {
  description: "When a job last succeeded in this process, in seconds since 1970.",
});

/** Counts a run by its outcome; an interrupted run counts as neither done nor failed. */
export const observedRun = <A, E, R>(
  job: JobName,
  run: Effect.Effect<A, E, R>,
  isTraced: boolean,
): Effect.Effect<A, E, R> => {
  const done = Metric.withAttributes(runs, { name: job, outcome: "done" });
  const failed = Metric.withAttributes(runs, { name: job, outcome: "failed" });
  const last = Metric.withAttributes(lastSuccess, { name: job });
  const recordSuccess = Effect.andThen(
    Metric.update(done, 1),
    Effect.flatMap(Clock.currentTimeMillis, (now) => Metric.update(last, Math.round(now / 1000))),
  );
  const traced = isTraced ? Effect.withSpan(run, `job.${job}`, { root: true }) : run;
  return Effect.onExit(traced, (exit) => {
    if (Exit.isSuccess(exit)) return recordSuccess;
    return Cause.hasInterruptsOnly(exit.cause) ? Effect.void : Metric.update(failed, 1);
  });
};
