import { Clock, Effect, Layer, Schedule } from "effect";
import { Settings } from "../config/Settings.ts";
import { observedRun } from "../workers/JobMetrics.ts";
import { pruneInPages } from "../database/Pruning.ts";
import { IdempotencySql } from "./IdempotencySql.ts";

const keptMillis = 24 * 60 * 60 * 1000;
const page = 1000;

/** Drops the stored answers that are over 24 hours old, page by page; tells how many. */
export const pruneOnce: Effect.Effect<number, never, IdempotencySql> = Effect.gen(function* () {
  const repository = yield* IdempotencySql;
  const before = (yield* Clock.currentTimeMillis) - keptMillis;
  return yield* pruneInPages("idempotency_keys", page, (most) => repository.prune(before, most));
});

/** Prunes once an hour in every worker: two that meet only share the work. */
export const idempotencyPruning = Layer.effectDiscard(
  Effect.gen(function* () {
    const { roles } = yield* Settings;
    if (!roles.has("worker")) return;
    yield* Effect.forkScoped(
      Effect.ignoreCause(observedRun("idempotency_pruning", pruneOnce), { log: "Warn" }).pipe(
        Effect.repeat(Schedule.spaced("1 hour")),
      ),
    );
  }),
);
