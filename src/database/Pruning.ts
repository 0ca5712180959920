/** Rows that are past their time leave their tables page by page, so that no statement holds anything for long. */
import { Effect, Metric } from "effect";

const pruned = Metric.counter("waypost_pruned_rows_total", {
  description:
    "Rows past their time that left their tables, by what they are: deliveries, events, idempotency keys, failed attempts.",
  incremental: true,
});

/** What there is to prune. */
type Prunable = "deliveries" | "events" | "idempotency_keys" | "failed_attempts";

/** Counts rows that this process pruned. */
export const countPruned = (what: Prunable, rows: number): Effect.Effect<void> =>
  Metric.update(Metric.withAttributes(pruned, { what }), rows);

/** Prunes pages of at most so many rows until one is not full, and tells how many rows went; `prune` tells of each page. */
export const pruneInPages = <E, R>(
  what: Prunable,
  page: number,
  prune: (most: number) => Effect.Effect<number, E, R>,
): Effect.Effect<number, E, R> =>
  Effect.gen(function* () {
    let rows = 0;
    while (true) {
      const gone = yield* prune(page);
      yield* countPruned(what, gone);
      rows += gone;
      if (gone < page) return rows;
    }
  });
