import { Clock, Effect, Layer } from "effect";
import { pruneInPages } from "../database/Pruning.ts";
import { Worker } from "../workers/Worker.ts";
import { IdempotencySql } from "./IdempotencySql.ts";

const keptMillis = 24 * 60 * 60 * 1000;
const page = 1000;

/** Deletes the stored responses that are over 24 hours old, page by page; gives how many. */
export const pruneOnce: Effect.Effect<number, never, IdempotencySql> = Effect.gen(function* () {
  const repository = yield* IdempotencySql;
  const before = (yield* Clock.currentTimeMillis) - keptMillis;
  return yield* pruneInPages("idempotency_keys", page, (limit) => repository.prune(before, limit));
});

/** The job that prunes idempotent responses. Two workers share the rows. */
export const idempotencyPruning = Layer.effectDiscard(
  Worker.every("idempotency_pruning", "1 hour", pruneOnce),
);
