import { type Duration, Effect, Metric } from "effect";
import { TestClock } from "effect/testing";
import type { JobName } from "../../src/workers/JobMetrics.ts";
import { eventually } from "../Eventually.ts";

/** How often a job has ended a run in this process. */
const runsOf = (job: JobName) =>
  Effect.map(Metric.snapshot, (all) =>
    all.reduce(
      (sum, { attributes, id, state }) =>
        id === "waypost_job_runs_total" && attributes?.["name"] === job && "count" in state
          ? sum + Number(state.count)
          : sum,
      0,
    ),
  );

/**
 * Lets the pause of a job pass, and waits until a run has ended. If the job ran while the time passed, that
 * is this run. In any case its worker sleeps afterwards, and wakes when its pause has passed.
 */
export const afterPause = (job: JobName, pause: Duration.Input) =>
  Effect.gen(function* () {
    const before = yield* runsOf(job);
    yield* TestClock.adjust(pause);
    yield* eventually(Effect.map(runsOf(job), (runs) => runs > before));
  });
