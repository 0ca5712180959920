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
      "Visits that on_dwell notifications waited for, and custom events with a delay (what: visit, " +
      "event), by outcome: fired, not_lasted (the device left, or the unless_event came), refused (by the " +
      "campaign, the device or a cap), late (over 15 minutes past the minute).",
    incremental: true,
  }),
  { what: ["visit", "event"], outcome: outcomes },
);

const lag = knownSeries(
  Metric.histogram("waypost_dwell_lag_seconds", {
    description: "Time from the minute of a visit or of a custom event to its notification, in seconds.",
    boundaries: [0.5, 1, 2.5, 5, 10, 60, 300, 900],
  }),
);

/** Counts dwells of visits or of custom events by outcome. */
export const countDwells = (
  what: "visit" | "event",
  counts: ReadonlyArray<readonly [outcome: DwellOutcome, count: number]>,
): Effect.Effect<void> =>
  Effect.forEach(
    counts,
    ([outcome, count]) => Metric.update(Metric.withAttributes(dwells, { what, outcome }), count),
    { discard: true },
  );

/** Records how late dwells fired, in milliseconds. */
export const noteDwellLags = (millis: ReadonlyArray<number>): Effect.Effect<void> =>
  Effect.forEach(millis, (each) => Metric.update(lag, each / 1000), { discard: true });
