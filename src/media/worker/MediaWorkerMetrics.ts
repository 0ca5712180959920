import { type Effect, Metric } from "effect";

const jobs = Metric.counter("waypost_media_child_jobs_total", {
  description:
    "Media files that were looked into, by outcome: done, refused (a bad file), killed (too much time or memory), unable (the child did not start), turned_away (too many waited).",
  incremental: true,
});

/** Counts a job for the child that looks into media files by what became of it. */
export const countJob = (
  outcome: "done" | "refused" | "killed" | "unable" | "turned_away",
): Effect.Effect<void> => Metric.update(Metric.withAttributes(jobs, { outcome }), 1);
