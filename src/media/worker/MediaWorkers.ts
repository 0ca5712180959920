import { Context, Data, Effect, Layer, Semaphore } from "effect";
import { ServiceUnavailable } from "../../wire/ApiError.ts";
import { countJob } from "../MediaMetrics.ts";
import type { MediaContent } from "../formats/MediaFormat.ts";
import type { MediaJob, MediaWorkerMessage } from "./MediaJob.ts";
import { MediaWorkerProcess, MediaWorkerProgram, tooCostly } from "./MediaWorkerProcess.ts";

/** The file cannot be accepted. The message is a full sentence for the field `file`. */
export class MediaRefused extends Data.TaggedError("MediaRefused")<{ readonly message: string }> {}

/** No media worker can take the file now: too many jobs wait, or the workers cannot run on this machine. */
export class MediaWorkersUnavailable extends Data.TaggedError("MediaWorkersUnavailable")<{
  /** For the log, never for clients. */
  readonly problem: string;
}> {
  override get message(): string {
    return `Media files cannot be inspected: ${this.problem}`;
  }
  /** The error for clients: 503 with `Retry-After`. */
  get apiError(): ServiceUnavailable {
    return ServiceUnavailable.of(
      "The service cannot inspect media files at the moment: try again in a few seconds.",
    );
  }
}

/** Limits of the media workers. Times are real time, also where a test controls the clock. */
export interface WorkerLimits {
  /** Milliseconds after which the worker of an unfinished job is killed. */
  readonly jobMillis: number;
  /** Milliseconds after which an idle worker is stopped. */
  readonly idleMillis: number;
  readonly maxWorkers: number;
  /** Jobs that may wait for a worker. Further jobs fail at once. */
  readonly maxWaiting: number;
}

/** The limits in production. */
export const MediaWorkerLimits = Context.Reference<WorkerLimits>("waypost/media/MediaWorkerLimits", {
  defaultValue: () => ({ jobMillis: 30_000, idleMillis: 10_000, maxWorkers: 2, maxWaiting: 32 }),
});

const outcomeOf = (result: MediaWorkerMessage) => {
  if (result._tag === "refused") return result.message === tooCostly ? "killed" : "refused";
  return result._tag === "unable" ? "unable" : "done";
};

/** The pool of media workers: child processes that decode untrusted files in bounded time and memory. */
export class MediaWorkers extends Context.Service<
  MediaWorkers,
  {
    /**
     * Reads the whole file and says what it is. Refuses an empty, truncated or broken file, a format that is
     * not accepted, and an image of over 100 megapixels (contract H1). Slow: call it in `outsideTransaction`.
     */
    readonly inspect: (path: string) => Effect.Effect<MediaContent, MediaRefused | MediaWorkersUnavailable>;
    /** Draws the thumbnail of an accepted image, as WebP. */
    readonly thumbnail: (path: string) => Effect.Effect<Uint8Array, MediaRefused | MediaWorkersUnavailable>;
    /** The number of running workers. */
    readonly running: Effect.Effect<number>;
  }
>()("waypost/media/MediaWorkers") {
  static readonly layer = Layer.effect(
    MediaWorkers,
    Effect.gen(function* () {
      const program = yield* MediaWorkerProgram;
      const limits = yield* MediaWorkerLimits;
      const permits = yield* Semaphore.make(limits.maxWorkers);
      const workers = new Set<MediaWorkerProcess>();
      const idle: Array<MediaWorkerProcess> = [];
      const jobs = { pending: 0 };
      yield* Effect.addFinalizer(() => Effect.sync(() => workers.forEach((worker) => worker.kill())));

      const acquire = Effect.sync(() => {
        for (const worker of workers) if (!worker.isAlive) workers.delete(worker);
        for (let worker = idle.pop(); worker !== undefined; worker = idle.pop())
          if (worker.isAlive) return worker;
        const worker = new MediaWorkerProcess(program);
        workers.add(worker);
        return worker;
      });
      const release = (worker: MediaWorkerProcess) =>
        Effect.sync(() => {
          if (!worker.isAlive) return void workers.delete(worker);
          worker.stopAfter(limits.idleMillis);
          idle.push(worker);
        });

      /** Runs a job on a worker, in the order of the calls. */
      const run = Effect.fn("MediaWorkers.run")(function* (job: MediaJob) {
        if (jobs.pending >= limits.maxWorkers + limits.maxWaiting) {
          yield* countJob("turned_away");
          return yield* new MediaWorkersUnavailable({ problem: "too many files are waiting already." });
        }
        jobs.pending += 1;
        const result = yield* Effect.acquireUseRelease(
          acquire,
          (worker) => worker.run(job, limits.jobMillis),
          release,
        ).pipe(permits.withPermits(1), Effect.ensuring(Effect.sync(() => void (jobs.pending -= 1))));
        yield* countJob(outcomeOf(result));
        if (result._tag === "refused") return yield* new MediaRefused({ message: result.message });
        if (result._tag === "unable") return yield* new MediaWorkersUnavailable({ problem: result.problem });
        return result;
      });

      return MediaWorkers.of({
        inspect: Effect.fnUntraced(function* (path) {
          const result = yield* run({ task: "inspect", path });
          if (result._tag !== "content") return yield* Effect.die(new Error("Not an inspection"));
          return result.content;
        }),
        thumbnail: Effect.fnUntraced(function* (path) {
          const result = yield* run({ task: "thumbnail", path });
          if (result._tag !== "thumbnail") return yield* Effect.die(new Error("Not a thumbnail"));
          return result.picture;
        }),
        running: Effect.sync(() => [...workers].filter((worker) => worker.isAlive).length),
      });
    }),
  );
}
