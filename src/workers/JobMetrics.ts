/** Metrics and traces of background jobs. */
import { Cause, Clock, Effect, Exit, Metric } from "effect";
import { counter } from "../telemetry/KnownSeries.ts";

const jobNames = [
  "send_starts",
  "send_batches",
  "dwells",
  "occurrences",
  "held_deliveries",
  "pace",
  "pushes",
  "push_queue_depth",
  "webhook_calls",
  "webhook_queue",
  "webhook_pruning",
  "rollups",
  "experiment_counts",
  "retention",
  "thumbnails",
  "media_sweeping",
  "idempotency_pruning",
  "failed_attempt_pruning",
  "device_rate_pruning",
  "activity_pruning",
  "custom_event_pruning",
  "erasures",
  "table_statistics",
] as const;

/** The names of the jobs, as metrics and logs show them. */
export type JobName = (typeof jobNames)[number];

const countRun = counter(
  "waypost_job_runs_total",
  "Runs of background jobs, by name and outcome: done, or failed (the run is retried).",
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
  const last = Metric.withAttributes(lastSuccess, { name: job });
  const recordSuccess = Effect.andThen(
    countRun({ name: job, outcome: "done" }),
    Effect.flatMap(Clock.currentTimeMillis, (now) => Metric.update(last, Math.round(now / 1000))),
  );
  const traced = isTraced ? Effect.withSpan(run, `job.${job}`, { root: true }) : run;
  return Effect.onExit(traced, (exit) => {
    if (Exit.isSuccess(exit)) return recordSuccess;
    return Cause.hasInterruptsOnly(exit.cause) ? Effect.void : countRun({ name: job, outcome: "failed" });
  });
};
