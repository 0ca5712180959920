/** Deletes expired rows page by page, so that no statement holds locks for long. */
import { Effect, Metric } from "effect";
import { knownSeries } from "../telemetry/KnownSeries.ts";

const prunable = [
  "deliveries",
  "events",
  "custom_events",
  "idempotency_keys",
  "failed_attempts",
  "device_rates",
  "activity",
  "webhook_events",
  "webhook_calls",
  "webhook_attempts",
] as const;
type Prunable = (typeof prunable)[number];

const pruned = knownSeries(
  Metric.counter("waypost_pruned_rows_total", {
    description:
      "Expired rows that were deleted: deliveries, events, custom events, idempotency keys, failed " +
      "attempts, minutes of devices, activity, rows of webhooks.",
    incremental: true,
  }),
  { what: prunable },
);

/** Counts rows that this process pruned. */
export const countPruned = (what: Prunable, rows: number): Effect.Effect<void> =>
  Metric.update(Metric.withAttributes(pruned, { what }), rows);

/** Runs `page` until it processes fewer than `pageSize` items. Returns the number of all items. */
export const drainPages = Effect.fnUntraced(function* <E, R>(
  pageSize: number,
  page: Effect.Effect<number, E, R>,
) {
  let total = 0;
  while (true) {
    const items = yield* page;
    total += items;
    if (items < pageSize) return total;
  }
});

/** Prunes pages until one is not full. `prune` deletes up to `limit` rows and returns their number. */
export const pruneInPages = <E, R>(
  what: Prunable,
  pageSize: number,
  prune: (limit: number) => Effect.Effect<number, E, R>,
): Effect.Effect<number, E, R> =>
  drainPages(
    pageSize,
    Effect.tap(prune(pageSize), (rows) => countPruned(what, rows)),
  );
