import { Effect, Metric } from "effect";
import { knownSeries } from "../telemetry/KnownSeries.ts";
import type { TransitionType } from "../events/Transition.ts";

const positions = knownSeries(
  Metric.counter("waypost_positions_total", {
    description: "Reported positions, by outcome: accepted, stale, rejected.",
    incremental: true,
  }),
  { outcome: ["accepted", "stale", "rejected"] },
);

const transitions = knownSeries(
  Metric.counter("waypost_position_transitions_total", {
    description: "Enters and exits detected in positions, by type.",
    incremental: true,
  }),
  { type: ["enter", "exit"] },
);

const outcomes = {
  accepted: Metric.withAttributes(positions, { outcome: "accepted" }),
  stale: Metric.withAttributes(positions, { outcome: "stale" }),
  rejected: Metric.withAttributes(positions, { outcome: "rejected" }),
};

const types: Record<TransitionType, Metric.Metric<number, unknown>> = {
  enter: Metric.withAttributes(transitions, { type: "enter" }),
  exit: Metric.withAttributes(transitions, { type: "exit" }),
};

/** Counts the outcome of one request. */
export const countPositions = (report: {
  readonly accepted: number;
  readonly stale: number;
  readonly rejected: ReadonlyArray<unknown>;
  readonly transitions: ReadonlyArray<{ readonly type: TransitionType }>;
}): Effect.Effect<void> =>
  Effect.gen(function* () {
    if (report.accepted > 0) yield* Metric.update(outcomes.accepted, report.accepted);
    if (report.stale > 0) yield* Metric.update(outcomes.stale, report.stale);
    if (report.rejected.length > 0) yield* Metric.update(outcomes.rejected, report.rejected.length);
    for (const { type } of report.transitions) yield* Metric.update(types[type], 1);
  });
