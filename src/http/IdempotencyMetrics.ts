import { type Effect, Metric } from "effect";

const answers = Metric.counter("waypost_idempotency_total", {
  description:
    "Requests with an idempotency key that were not carried out again, by outcome: replayed, or conflict (409, still running).",
  incremental: true,
});

/** Counts a request that got the answer of the one before. */
export const countReplay: Effect.Effect<void> = Metric.update(
  Metric.withAttributes(answers, { outcome: "replayed" }),
  1,
);
/** Counts a request that was refused because one with its key still ran. */
export const countConflict: Effect.Effect<void> = Metric.update(
  Metric.withAttributes(answers, { outcome: "conflict" }),
  1,
);
