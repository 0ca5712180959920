import { Context, Data, Effect, Layer, Option } from "effect";
import { ServiceUnavailable } from "../../wire/ApiError.ts";
import { FairQueue, type FairQueueLimits } from "../../workers/FairQueue.ts";
import { countJob } from "../MediaMetrics.ts";
import type { MediaContent } from "../formats/MediaFormat.ts";
import type { MediaJob, MediaResult } from "./MediaJob.ts";
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
export interface WorkerLimits extends FairQueueLimits {
  /** Milliseconds after which the worker of an unfinished job is killed, however little CPU time it used. */
  readonly jobMillis: number;
  /** Milliseconds after which an idle worker is stopped. */
  readonly idleMillis: number;
}

/**
 * The limits in production. One workspace has one worker at a time, so that its files delay only its own
 * (contract H1).
 */
export const MediaWorkerLimits = Context.Reference<WorkerLimits>("waypost/media/MediaWorkerLimits", {
  defaultValue: () => ({
    jobMillis: 40_000,
    idleMillis: 10_000,
    maxRunning: 2,
    maxRunningOfOwner: 1,
    maxWaiting: 512,
    maxWaitingOfOwner: 32,
  }),
});

const outcomeOf = (result: MediaResult) => {
  if (result._tag === "refused") return result.message === tooCostly ? "killed" : "refused";
  return result._tag === "unable" ? "unable" : "done";
};

/** The pool of media workers: child processes that decode untrusted files in bounded time and memory. */
export class MediaWorkers extends Context.Service<
  MediaWorkers,
  {
    /**
     * Reads the whole file and says what it is. Refuses an empty, truncated or broken file, a format that is
     * not accepted, an image of over 100 megapixels, and a file that takes over 2 seconds of CPU time or 300
     * MB (contract H1). The files of an owner, which is a workspace, wait for each other. Slow: call it in
     * `outsideTransaction`.
     */
    readonly inspect: (
      owner: number,
      path: string,
    ) => Effect.Effect<MediaContent, MediaRefused | MediaWorkersUnavailable>;
    /** Draws the thumbnail of an accepted image, as WebP. */
    readonly thumbnail: (
      owner: number,
      path: string,
    ) => Effect.Effect<Uint8Array, MediaRefused | MediaWorkersUnavailable>;
    /** The number of running workers. */
    readonly running: Effect.Effect<number>;
  }
>()("waypost/media/MediaWorkers") {
  static readonly layer = Layer.effect(
    MediaWorkers,
    Effect.gen(function* () {
      const program = yield* MediaWorkerProgram;
      const limits = yield* MediaWorkerLimits;
      const queue = new FairQueue(limits);
      const workers = new Set<MediaWorkerProcess>();
      const idle: Array<MediaWorkerProcess> = [];
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
          if (!worker.isUsable) {
            worker.kill();
            return void workers.delete(worker);
          }
          worker.stopAfter(limits.idleMillis);
          idle.push(worker);
        });

      /** Waits until the queue starts the job, then runs it; none if too many jobs wait. */
      const inFairOrder = <A>(owner: number, job: Effect.Effect<A>) =>
        Effect.uninterruptibleMask((restore) => {
          const queued = { owner, start: () => {} };
          const leave = Effect.sync(() => queue.remove(queued));
          const started = Effect.callback<boolean>((resume) => {
            queued.start = () => resume(Effect.succeed(true));
            if (!queue.add(queued)) resume(Effect.succeed(false));
          });
          // A started job leaves too that is interrupted before it runs.
          return Effect.flatMap(restore(started), (isStarted) =>
            isStarted ? Effect.asSome(restore(job)) : Effect.succeedNone,
          ).pipe(Effect.ensuring(leave));
        });

      const run = Effect.fn("MediaWorkers.run")(function* (job: MediaJob) {
        const ran = yield* inFairOrder(
          job.owner,
          Effect.acquireUseRelease(acquire, (worker) => worker.run(job, limits.jobMillis), release),
        );
        if (Option.isNone(ran)) {
          yield* countJob({ outcome: "turned_away" });
          return yield* new MediaWorkersUnavailable({ problem: "too many files are waiting already." });
        }
        const result = ran.value;
        yield* countJob({ outcome: outcomeOf(result) });
        if (result._tag === "refused") return yield* new MediaRefused({ message: result.message });
        if (result._tag === "unable") return yield* new MediaWorkersUnavailable({ problem: result.problem });
        return result;
      });

      return MediaWorkers.of({
        inspect: Effect.fnUntraced(function* (owner, path) {
          const result = yield* run({ task: "inspect", owner, path });
          if (result._tag !== "content") return yield* Effect.die(new Error("Not an inspection"));
          return result.content;
        }),
        thumbnail: Effect.fnUntraced(function* (owner, path) {
          const result = yield* run({ task: "thumbnail", owner, path });
          if (result._tag !== "thumbnail") return yield* Effect.die(new Error("Not a thumbnail"));
          return result.picture;
        }),
        running: Effect.sync(() => [...workers].filter((worker) => worker.isAlive).length),
      });
    }),
  );
}
