import { Clock, Effect, Layer } from "effect";
import { pruneInPages } from "../database/Pruning.ts";
import { Worker } from "../workers/Worker.ts";
import { attemptWindowMillis } from "./FailedAttempts.ts";
import { FailedAttemptsSql } from "./FailedAttemptsSql.ts";

const page = 1000;

/** Deletes the addresses whose window has ended, page by page; gives how many. */
export const pruneAttempts: Effect.Effect<number, never, FailedAttemptsSql> = Effect.gen(function* () {
  const repository = yield* FailedAttemptsSql;
  const since = (yield* Clock.currentTimeMillis) - attemptWindowMillis;
  return yield* pruneInPages("failed_attempts", page, (limit) => repository.prune(since, limit));
});

/** The job that prunes failed attempts, so that attempts from many addresses do not fill the disk. */
export const failedAttemptPruning = Layer.effectDiscard(
  Worker.every("failed_attempt_pruning", "10 minutes", pruneAttempts),
);
