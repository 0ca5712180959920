/** The metrics of all processes of a supervisor. */
import { Effect, Queue } from "effect";
import { PrometheusMetrics } from "effect/observability";
import type { Role } from "../config/Settings.ts";
import { measureMemory, setProcesses } from "../http/ProcessMetrics.ts";
import { type ProcessMetrics, sumOfMetrics } from "./MetricsSum.ts";
import { supervisorName } from "../processes/ProcessMember.ts";
import { startKnownSeries } from "../telemetry/KnownSeries.ts";
import type { ProcessRun } from "./ProcessRun.ts";

/** A process that waits for the metrics of all. */
interface Request {
  readonly run: ProcessRun;
  readonly id: number;
}

/** Builds what collects the metrics of all runs for those that ask. */
export const makeSupervisorMetrics = Effect.fnUntraced(function* (runs: ReadonlySet<ProcessRun>) {
  const requests = yield* Queue.unbounded<Request>();
  /** Counters and histograms of runs that ended, so that no sum ever decreases. */
  let ended: ProcessMetrics = { process: "ended", text: "", hasEnded: true };
  /** Roles of this machine. One without a run counts 0 processes. */
  const roles = new Set<Role>();
  yield* startKnownSeries;

  const measure = Effect.suspend(() => {
    for (const { member } of runs) roles.add(member.role);
    const working = [...runs].filter((run) => run.isReady);
    return Effect.forEach(
      roles,
      (role) => setProcesses(role, working.filter(({ member }) => member.role === role).length),
      { discard: true },
    );
  });
  const own = Effect.andThen(Effect.andThen(measure, measureMemory), PrometheusMetrics.format());
  const all = Effect.gen(function* () {
    const members = yield* Effect.forEach(
      runs,
      (run) => Effect.map(run.metrics, (text): ProcessMetrics => ({ process: run.member.name, text })),
      { concurrency: "unbounded" },
    );
    return sumOfMetrics([...members, { process: supervisorName, text: yield* own }, ended]);
  });

  // Requests that arrive while metrics are collected share the next collection.
  yield* Effect.forkScoped(
    Effect.forever(
      Effect.gen(function* () {
        const waiting = yield* Queue.takeAll(requests);
        const text = yield* all;
        for (const { id, run } of waiting) run.answer(id, text);
      }),
    ),
  );
  return {
    /** Collects the metrics of all, and sends them to the run that asked. */
    request: (run: ProcessRun, id: number): void => void Queue.offerUnsafe(requests, { run, id }),
    /** Adds the counters of a run that has ended to all later sums. */
    keep: ({ lastMetrics: text, member }: ProcessRun): void => {
      const sum = sumOfMetrics([ended, { process: member.name, text, hasEnded: true }]);
      ended = { ...ended, text: sum };
    },
  };
});
