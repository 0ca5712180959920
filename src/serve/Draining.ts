/** Ends the processes of a supervisor when it stops. */
import { setTimeout as after } from "node:timers/promises";
import type { ProcessRun } from "./ProcessRun.ts";

/** For how long the worker may work while requests are finished, in milliseconds. */
const turnMillis = 1_000;

/** How long a process may take to finish its requests and pushes, in milliseconds. It needs at most 12 s. */
const drainMillis = 15_000;

/** A signal this soon after the first one is the same: a terminal and a launcher both send it. */
const sameSignalMillis = 1_000;

const signals = ["SIGINT", "SIGTERM"] as const;

/** Waits until all runs have ended, or until a promise resolves. */
const allEnded = (runs: ReadonlyArray<ProcessRun>, until: Promise<unknown>): Promise<unknown> =>
  Promise.race([Promise.all(runs.map((run) => run.ended)), until]);

/** Resolves at the next signal to this process. */
const secondSignal = (abort: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const since = performance.now();
    const onSignal = (): void => {
      if (performance.now() - since > sameSignalMillis) resolve();
    };
    for (const name of signals) process.on(name, onSignal);
    abort.addEventListener("abort", () => signals.forEach((name) => process.off(name, onSignal)));
  });

/**
 * Stops all runs: request processes first, then the worker, at the latest a second later. Each finishes what
 * it has begun. A second signal to the supervisor kills them.
 */
export const drain = async (runs: ReadonlyArray<ProcessRun>): Promise<void> => {
  const done = new AbortController();
  const { signal } = done;
  const pause = (millis: number) => after(millis, undefined, { signal }).catch(() => undefined);
  const hurry = secondSignal(signal);
  const requests = runs.filter(({ member }) => member.role === "api");
  for (const run of requests) run.signal("SIGTERM");
  await allEnded(requests, Promise.race([pause(turnMillis), hurry]));
  for (const run of runs) if (run.member.role === "worker") run.signal("SIGTERM");
  await allEnded(runs, Promise.race([pause(drainMillis), hurry]));
  for (const run of runs) run.signal("SIGKILL");
  await Promise.all(runs.map((run) => run.ended));
  done.abort();
};
