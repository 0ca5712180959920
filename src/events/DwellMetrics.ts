import { Effect, Metric } from "effect";
import { knownSeries } from "../telemetry/KnownSeries.ts";

const outcomes = ["fired", "not_lasted", "refused", "late"] as const;

/**
 * The outcome of a dwell: `fired`; `not_lasted`, the device left or its visit counts already; `refused` by
 * the campaign, the device or a frequency cap; `late`, over 15 minutes past its minute.
 */
export type DwellOutcome = (typeof outcomes)[number];

const dwells = knownSeries(
  Metric.counter("waypost_dwells_total", {
    description:
      "Visits that on_dwell notifications waited for, by outcome: fired, not_lasted (the device left), " +
      "refused (by the campaign, the device or a cap), late (over 15 minutes past the minute).",
    incremental: true,
  }),
  { outcome: outcomes },
);

const lag = knownSeries(
  Metric.histogram("waypost_dwell_lag_seconds", {
    description: "Time from the minute of a visit to the on_dwell notification, in seconds.",
    boundaries: [0.5, 1, 2.5, 5, 10, 60, 300, 900],
  }),
);

/** Counts dwells by outcome. */
export const countDwells = (
  counts: ReadonlyArray<readonly [outcome: DwellOutcome, count: number]>,
): Effect.Effect<void> =>
  Effect.forEach(
    counts,
    ([outcome, count]) => Metric.update(Metric.withAttributes(dwells, { outcome }), count),
    { discard: true },
  );

/** Records how late dwells fired, in milliseconds. */
export const noteDwellLags = (millis: ReadonlyArray<number>): Effect.Effect<void> =>
  Effect.forEach(millis, (each) => Metric.update(lag, each / 1000), { discard: true });
