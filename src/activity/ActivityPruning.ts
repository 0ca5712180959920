import { Clock, Effect, Layer } from "effect";
import { pruneInPages } from "../database/Pruning.ts";
import { Worker } from "../workers/Worker.ts";
import { ActivitySql } from "./ActivitySql.ts";

const keptMillis = 400 * 24 * 60 * 60 * 1000;
const pageSize = 1000;

/** Deletes the entries that are over 400 days old, page by page; gives how many. */
export const pruneActivity: Effect.Effect<number, never, ActivitySql> = Effect.gen(function* () {
  const repository = yield* ActivitySql;
  const before = (yield* Clock.currentTimeMillis) - keptMillis;
  return yield* pruneInPages("activity", pageSize, (limit) => repository.prune(before, limit));
});

/** The job that prunes activity. Two workers share the rows. */
export const activityPruning = Layer.effectDiscard(Worker.every("activity_pruning", "1 hour", pruneActivity));
