import { Effect } from "effect";
import { counter } from "../telemetry/KnownSeries.ts";
import type { TransitionType } from "../events/Transition.ts";

const countOutcome = counter(
  "waypost_positions_total",
  "Reported positions, by outcome: accepted, stale, rejected.",
  { outcome: ["accepted", "stale", "rejected"] },
);

const countTransition = counter(
  "waypost_position_transitions_total",
  "Enters and exits detected in positions, by type.",
  { type: ["enter", "exit"] },
);

/** Counts the outcome of one request. */
export const countPositions = Effect.fnUntraced(function* (report: {
  readonly accepted: number;
  readonly stale: number;
  readonly rejected: ReadonlyArray<unknown>;
  readonly transitions: ReadonlyArray<{ readonly type: TransitionType }>;
}) {
  const { accepted, rejected, stale, transitions } = report;
  if (accepted > 0) yield* countOutcome({ outcome: "accepted" }, accepted);
  if (stale > 0) yield* countOutcome({ outcome: "stale" }, stale);
  if (rejected.length > 0) yield* countOutcome({ outcome: "rejected" }, rejected.length);
  for (const { type } of transitions) yield* countTransition({ type });
});
