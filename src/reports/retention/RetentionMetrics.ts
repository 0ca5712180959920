import { type Effect, Metric } from "effect";
import type { Compactable } from "./RetentionSql.ts";

const waiting = Metric.gauge("waypost_retention_waiting", {
  description:
    "Environments with rows past their retention that the last run could not compact, by what the rows are.",
});

/** Sets how many environments a run skipped: incomplete rollups, or another process works there. */
export const recordWaiting = (what: Compactable, environments: number): Effect.Effect<void> =>
  Metric.update(Metric.withAttributes(waiting, { what }), environments);
