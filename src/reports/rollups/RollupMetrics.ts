import { Effect, Metric } from "effect";

/** What is rolled up. */
export type RollupProgress = "deliveries" | "events";

const rows = Metric.counter("waypost_rollup_rows_total", {
  description:
    "Deliveries and events that were added to the rollups: from the feed, or from base rows where rollups are made anew.",
  incremental: true,
});

const waiting = Metric.gauge("waypost_rollup_pending_deltas", {
  description:
    "Rows of the feed that wait to be added to the rollups, counted up to 100,000; reports read them too.",
});

const rebuilding = Metric.gauge("waypost_rollup_rebuilding", {
  description:
    "Environments whose rollups are being made anew; their reports count base rows for the days that are not done, which is slow.",
});

const daysLeft = Metric.gauge("waypost_rollup_rebuild_days", {
  description:
    "Days of the past, over all environments, that are not added up yet where rollups are being made anew.",
});

/** Counts base rows that were added to the rollups. */
export const countRollupProgress = (
  what: RollupProgress,
  from: "feed" | "base",
  count: number,
): Effect.Effect<void> =>
  count === 0 ? Effect.void : Metric.update(Metric.withAttributes(rows, { what, from }), count);

/** What waits to be rolled up: rows of the feeds, and environments whose rollups are not complete. */
export interface RollupBacklog {
  readonly deliveries: number;
  readonly events: number;
  readonly rebuilding: number;
  /** Days whose base rows are not added up, over all those environments. */
  readonly days: number;
}

/** Notes what waits. */
export const noteBacklog = (backlog: RollupBacklog): Effect.Effect<void> =>
  Effect.all(
    [
      Metric.update(Metric.withAttributes(waiting, { what: "deliveries" }), backlog.deliveries),
      Metric.update(Metric.withAttributes(waiting, { what: "events" }), backlog.events),
      Metric.update(rebuilding, backlog.rebuilding),
      Metric.update(daysLeft, Math.ceil(backlog.days)),
    ],
    { discard: true },
  );
