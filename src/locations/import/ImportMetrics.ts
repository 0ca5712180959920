/** Metrics of location imports. */
import { type Effect, Metric } from "effect";
import { knownSeries } from "../../telemetry/KnownSeries.ts";

const bodies = knownSeries(
  Metric.counter("waypost_location_imports_total", {
    description:
      "Bodies of location imports, by outcome: read, refused (not GeoJSON, too large, or not whole), " +
      "turned_away (too many of one environment waited), failed (the import thread ended).",
    incremental: true,
  }),
  { outcome: ["read", "refused", "turned_away", "failed"] },
);

/** Counts the body of an import by its outcome. */
export const countImport = (outcome: "read" | "refused" | "turned_away" | "failed"): Effect.Effect<void> =>
  Metric.update(Metric.withAttributes(bodies, { outcome }), 1);
