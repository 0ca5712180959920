import { Effect, Metric } from "effect";
import { counter } from "../../telemetry/KnownSeries.ts";

/** Counts source rows that were added to the rollups. */
export const countRollupRows = counter(
  "waypost_rollup_rows_total",
  "Deliveries, events, interactions and answers that were added to the rollups: from pending deltas, or " +
    "from source rows.",
  { what: ["deliveries", "events", "interactions", "answers"], from: ["deltas", "source"] },
);

const pending = Metric.gauge("waypost_rollup_pending_deltas", {
  description: "Deltas that are not added to the rollups yet, counted up to 100,000; reports read them too.",
});

const rebuilding = Metric.gauge("waypost_rollup_rebuilding", {
  description:
    "Environments whose rollups are being rebuilt; their reports count source rows for the days that are " +
    "left, which is slow.",
});

const daysLeft = Metric.gauge("waypost_rollup_rebuild_days", {
  description: "Past days that rebuilds have not rolled up yet, summed over all environments.",
});

/** Work that is left: pending deltas, and environments whose rollups are incomplete. */
export interface RollupBacklog {
  readonly deliveries: number;
  readonly events: number;
  readonly interactions: number;
  readonly answers: number;
  readonly rebuilding: number;
  /** Days that are not rolled up, over all those environments. */
  readonly days: number;
}

/** Sets the gauges. */
export const recordBacklog = (backlog: RollupBacklog): Effect.Effect<void> =>
  Effect.all(
    [
      Metric.update(Metric.withAttributes(pending, { what: "deliveries" }), backlog.deliveries),
      Metric.update(Metric.withAttributes(pending, { what: "events" }), backlog.events),
      Metric.update(Metric.withAttributes(pending, { what: "interactions" }), backlog.interactions),
      Metric.update(Metric.withAttributes(pending, { what: "answers" }), backlog.answers),
      Metric.update(rebuilding, backlog.rebuilding),
      Metric.update(daysLeft, Math.ceil(backlog.days)),
    ],
    { discard: true },
  );
