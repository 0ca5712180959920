/** Metrics of the process and its host, measured when metrics are read. */
import { Effect, Metric, Option, type Scope } from "effect";
import { statfs } from "node:fs/promises";
import { monitorEventLoopDelay } from "node:perf_hooks";
import type { Role } from "../config/Settings.ts";
import { Database } from "../database/Database.ts";
import { DataDirectory } from "../database/DataDirectory.ts";
import { knownSeries } from "../telemetry/KnownSeries.ts";

const up = Metric.gauge("waypost_database_up", {
  description: "1 if the database answers within two seconds, else 0.",
});

const freeBytes = Metric.gauge("waypost_data_dir_free_bytes", {
  description: "Free bytes on the disk of the data directory.",
});

const freeFiles = Metric.gauge("waypost_data_dir_free_files", {
  description:
    "Free inodes on the disk of the data directory; also 0 if the file system does not report them.",
});

const memory = Metric.gauge("waypost_memory_bytes", {
  description: "Memory of this process, without its database and its media workers.",
});

const loopDelay = Metric.gauge("waypost_event_loop_delay_seconds", {
  description: "The longest time that the event loop was blocked since metrics were last read, in seconds.",
});

const running = Metric.gauge("waypost_processes", {
  description: "Processes of this machine that work, of several under one supervisor, by role.",
});

const replaced = knownSeries(
  Metric.counter("waypost_processes_replaced_total", {
    description: "Processes that ended by themselves and were replaced by their supervisor, by role.",
    incremental: true,
  }),
  { role: ["api", "worker"] },
);

const nanosInSecond = 1e9;
const resolutionMillis = 20;

/** Updates the gauge of this process's memory. */
export const measureMemory: Effect.Effect<void> = Effect.suspend(() =>
  Metric.update(memory, process.memoryUsage.rss()),
);

/** Sets how many processes with a role work. */
export const setProcesses = (role: Role, count: number): Effect.Effect<void> =>
  Metric.update(Metric.withAttributes(running, { role }), count);

/** Counts a process that ended by itself. */
export const countReplaced = (role: Role): Effect.Effect<void> =>
  Metric.update(Metric.withAttributes(replaced, { role }), 1);

/** Makes the effect that updates the gauges. It waits for a disk or a database for at most two seconds. */
export const processMetrics: Effect.Effect<
  Effect.Effect<void>,
  never,
  Database | DataDirectory | Scope.Scope
> = Effect.gen(function* () {
  const database = yield* Database;
  const { path } = yield* DataDirectory;
  const delays = yield* Effect.acquireRelease(
    Effect.sync(() => {
      const histogram = monitorEventLoopDelay({ resolution: resolutionMillis });
      histogram.enable();
      return histogram;
    }),
    (histogram) => Effect.sync(() => histogram.disable()),
  );
  const measureDisk = Effect.promise(() => statfs(path).catch(() => null)).pipe(
    Effect.timeoutOption("2 seconds"),
    Effect.flatMap((result) => {
      const stats = Option.getOrNull(result);
      return stats === null
        ? Effect.void
        : Effect.andThen(
            Metric.update(freeBytes, stats.bavail * stats.bsize),
            Metric.update(freeFiles, stats.ffree),
          );
    }),
  );
  const measureProcess = Effect.suspend(() => {
    const maxDelay = Math.max(0, delays.max / nanosInSecond - resolutionMillis / 1000);
    delays.reset();
    return Effect.andThen(Metric.update(loopDelay, Number.isFinite(maxDelay) ? maxDelay : 0), measureMemory);
  });
  const measureDatabase = Effect.flatMap(database.ready, (ready) => Metric.update(up, ready ? 1 : 0));
  return Effect.all([measureDisk, measureProcess, measureDatabase], {
    concurrency: "unbounded",
    discard: true,
  });
});
