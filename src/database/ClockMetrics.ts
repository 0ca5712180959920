import { type Effect, Metric } from "effect";
import { knownSeries } from "../telemetry/KnownSeries.ts";

const offset = Metric.gauge("waypost_clock_offset_seconds", {
  description:
    "How far this machine's clock is ahead of the database's, in seconds; negative if it is behind.",
});

const clockSteps = knownSeries(
  Metric.counter("waypost_database_clock_set_total", {
    description: "How often the database's clock was found to have been set by more than a second.",
    incremental: true,
  }),
);

/** Records by how many milliseconds this machine's clock is ahead of the database's. */
export const noteClockOffset = (millis: number): Effect.Effect<void> =>
  Metric.update(offset, Math.round(millis) / 1_000);

/** Counts a step of the database's clock. */
export const countClockStep: Effect.Effect<void> = Metric.update(clockSteps, 1);
