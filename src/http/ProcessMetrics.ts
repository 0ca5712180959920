/** How the process and its surroundings are at the moment that somebody asks for metrics. */
import { Effect, Metric, Option, type Scope } from "effect";
import { statfs } from "node:fs/promises";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { Database } from "../database/Database.ts";
import { DataDirectory } from "../database/DataDirectory.ts";

const up = Metric.gauge("waypost_database_up", {
  description: "1 while the database answers within two seconds, 0 while it is away.",
});

const freeBytes = Metric.gauge("waypost_data_dir_free_bytes", {
  description: "Bytes that are free on the disk of the data directory.",
});

const freeFiles = Metric.gauge("waypost_data_dir_free_files", {
  description:
    "Files that can still be made on the disk of the data directory; 0 too where the file system does not tell.",
});

const memory = Metric.gauge("waypost_memory_bytes", {
  description: "Memory of this process, without its database and the children that look into media.",
});

const loopDelay = Metric.gauge("waypost_event_loop_delay_seconds", {
  description:
    "The longest that this process was held up by its own work since metrics were last asked for, in seconds.",
});

const nanosInSecond = 1e9;
const resolutionMillis = 20;

/** Brings the gauges up to date; a disk or a database that hangs is not waited for longer than two seconds. */
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
  const disk = Effect.promise(() => statfs(path).catch(() => null)).pipe(
    Effect.timeoutOption("2 seconds"),
    Effect.flatMap((found) => {
      const room = Option.getOrNull(found);
      return room === null
        ? Effect.void
        : Effect.andThen(
            Metric.update(freeBytes, room.bavail * room.bsize),
            Metric.update(freeFiles, room.ffree),
          );
    }),
  );
  const own = Effect.suspend(() => {
    const longest = Math.max(0, delays.max / nanosInSecond - resolutionMillis / 1000);
    delays.reset();
    return Effect.andThen(
      Metric.update(loopDelay, Number.isFinite(longest) ? longest : 0),
      Metric.update(memory, process.memoryUsage.rss()),
    );
  });
  const answers = Effect.flatMap(database.ready, (ready) => Metric.update(up, ready ? 1 : 0));
  return Effect.all([disk, own, answers], { concurrency: "unbounded", discard: true });
});
