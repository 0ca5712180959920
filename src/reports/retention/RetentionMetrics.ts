import { type Effect, Metric } from "effect";
import type { Compactable } from "./RetentionSql.ts";

const waiting = Metric.gauge("waypost_retention_waiting", {
  description: "Environments with rows past their time that the last round could not pack, by what they are.",
});

/** Notes how many environments a round had to leave: their rollups are not complete, or another process is at them. */
export const noteWaiting = (what: Compactable, environments: number): Effect.Effect<void> =>
  Metric.update(Metric.withAttributes(waiting, { what }), environments);
