import { Clock, Effect, Layer, Schedule } from "effect";
import { Settings } from "../config/Settings.ts";
import { pruneInPages } from "../database/Pruning.ts";
import { attemptWindowMillis } from "./FailedAttempts.ts";
import { FailedAttemptsSql } from "./FailedAttemptsSql.ts";

const page = 1000;

/** Forgets the addresses whose window has passed, page by page; tells how many. */
export const pruneAttempts: Effect.Effect<number, never, FailedAttemptsSql> = Effect.gen(function* () {
  const repository = yield* FailedAttemptsSql;
  const since = (yield* Clock.currentTimeMillis) - attemptWindowMillis;
  return yield* pruneInPages("failed_attempts", page, (most) => repository.prune(since, most));
});

/** Forgets every ten minutes in every worker, so that whoever guesses from ever new addresses fills no disk. */
export const failedAttemptPruning = Layer.effectDiscard(
  Effect.gen(function* () {
    const { roles } = yield* Settings;
    if (!roles.has("worker")) return;
    yield* Effect.forkScoped(
      Effect.ignoreCause(pruneAttempts, { log: "Warn" }).pipe(Effect.repeat(Schedule.spaced("10 minutes"))),
    );
  }),
);
