import { type Effect, Metric } from "effect";
import { knownSeries } from "../telemetry/KnownSeries.ts";

const repeated = knownSeries(
  Metric.counter("waypost_idempotency_total", {
    description:
      "Repeated requests with an idempotency key, by outcome: replayed, or conflict (409, still running).",
    incremental: true,
  }),
  { outcome: ["replayed", "conflict"] },
);

/** Counts a request that got the stored response. */
export const countReplay: Effect.Effect<void> = Metric.update(
  Metric.withAttributes(repeated, { outcome: "replayed" }),
  1,
);
/** Counts a request that was refused because a request with its key was still running. */
export const countConflict: Effect.Effect<void> = Metric.update(
  Metric.withAttributes(repeated, { outcome: "conflict" }),
  1,
);
