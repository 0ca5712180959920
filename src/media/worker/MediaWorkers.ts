import { Context, Effect, Layer, Semaphore } from "effect";
import { type ChildProcess, spawn } from "node:child_process";
import { type FileHandle, open } from "node:fs/promises";
import { countJob } from "./MediaWorkerMetrics.ts";
import { MediaWorkerProgram, type Program } from "./MediaWorkerProgram.ts";
import { MediaReaderAway, MediaRefused } from "./MediaRefused.ts";
import { type MediaAnswer, type MediaJob, type MediaOrder, outOfMemory } from "./MediaJob.ts";

/** How long, how many and how patient. Times are real ones: a child's work takes none of a test's time. */
export interface WorkerLimits {
  /** Milliseconds from the start of a job to the end of the child that still works on it. */
  readonly jobMillis: number;
  /** Milliseconds that a child without work is kept. */
  readonly idleMillis: number;
  /** Children at once. */
  readonly children: number;
  /** Jobs that may wait for a child; more are turned away at once. */
  readonly waiting: number;
}

/** The usual ones. */
export const MediaWorkerLimits = Context.Reference<WorkerLimits>("waypost/media/MediaWorkerLimits", {
  defaultValue: () => ({ jobMillis: 30_000, idleMillis: 10_000, children: 2, waiting: 32 }),
});

/** The answer of a child that did its work. */
export type MediaResult = Extract<MediaAnswer, { readonly is: "content" | "thumbnail" }>;

/** More than any upload: a job for a larger file is a mistake of ours. */
const mostBytes = 64 * 1024 * 1024;

const tooMuch = "The file takes too much time or memory to look into. Send a simpler or a smaller one.";
const ends = "The file is broken: what looks into it could not go on. Send one that is whole.";

/** One running child. */
class MediaWorker {
  readonly #process: ChildProcess;
  #isReady = false;
  #complaint = "";
  #idle: NodeJS.Timeout | undefined;
  #answer: ((answer: MediaAnswer) => void) | undefined;

  constructor({ command, parameters }: Program) {
    this.#process = spawn(command, parameters, {
      cwd: "/",
      env: childEnvironment(),
      stdio: ["pipe", "ignore", "pipe", "ipc"],
      serialization: "advanced",
    });
    this.#process.stderr?.on("data", (chunk: Buffer) => {
      this.#complaint = (this.#complaint + chunk.toString()).slice(-2000);
    });
    // A child that ends while a file is on its way to it is heard of by its end.
    this.#process.stdin?.on("error", () => undefined);
    this.#process.on("message", (answer: MediaAnswer) => {
      if (answer.is === "ready") this.#isReady = true;
      else this.#answer?.(answer);
    });
    this.#process.on("error", (error) => this.#gone(error.message));
    this.#process.once("close", (code, signal) => this.#gone(signal ?? code ?? "no word"));
  }

  get isAlive(): boolean {
    const { connected, exitCode, killed, pid, signalCode } = this.#process;
    return pid !== undefined && connected && !killed && exitCode === null && signalCode === null;
  }

  #gone(how: number | string): void {
    const problem = `the child that does so ended with ${how}. ${this.#complaint.trim()}`;
    // V8 aborts where its own memory runs out.
    const message = how === outOfMemory || how === "SIGABRT" ? tooMuch : ends;
    this.#answer?.(this.#isReady ? { is: "refused", message } : { is: "unable", problem });
  }

  /** Gives the child its order, and the file behind it: the child may open none itself. */
  readonly #give = async ({ path, task }: MediaJob): Promise<void> => {
    let file: FileHandle | undefined;
    try {
      file = await open(path);
      const order: MediaOrder = { task, bytes: (await file.stat()).size };
      if (order.bytes > mostBytes) throw new Error(`${path} is larger than any upload.`);
      this.#process.send(order, (error) => void (error && this.kill()));
      const { stdin } = this.#process;
      const chunk = Buffer.allocUnsafe(65_536);
      for (let at = 0; at < order.bytes;) {
        const { bytesRead } = await file.read(chunk, 0, Math.min(chunk.length, order.bytes - at), at);
        if (bytesRead === 0) throw new Error(`${path} became shorter while it was read.`);
        await new Promise<void>((resolve, reject) =>
          stdin?.write(chunk.subarray(0, bytesRead), (error) => (error ? reject(error) : resolve())),
        );
        at += bytesRead;
      }
    } catch (error) {
      if (!this.isAlive) return;
      this.kill();
      this.#answer?.({ is: "unable", problem: error instanceof Error ? error.message : String(error) });
    } finally {
      await file?.close();
    }
  };

  /** One job at a time. The child is killed when the job is interrupted or over its time. */
  readonly run = (job: MediaJob, millis: number): Effect.Effect<MediaAnswer> =>
    Effect.callback<MediaAnswer>((resume) => {
      clearTimeout(this.#idle);
      const finish = (answer: MediaAnswer): void => {
        clearTimeout(timer);
        this.#answer = undefined;
        resume(Effect.succeed(answer));
      };
      const timer = setTimeout(() => {
        this.kill();
        finish(
          this.#isReady
            ? { is: "refused", message: tooMuch }
            : { is: "unable", problem: `the child that does so does not start. ${this.#complaint}` },
        );
      }, millis);
      this.#answer = finish;
      if (!this.isAlive) this.#gone("its first step");
      else void this.#give(job);
      return Effect.sync(() => {
        clearTimeout(timer);
        this.kill();
      });
    });

  /** Ends the child when it has had nothing to do for so long. */
  readonly rest = (millis: number): void => {
    this.#idle = setTimeout(this.kill, millis);
    this.#idle.unref();
  };

  readonly kill = (): void => {
    clearTimeout(this.#idle);
    this.#process.kill("SIGKILL");
  };
}

const outcomeOf = (answer: MediaAnswer) => {
  if (answer.is === "refused") return answer.message === tooMuch ? "killed" : "refused";
  return answer.is === "unable" ? "unable" : "done";
};

/** What a child gets of the environment: where its libraries are, and none of Waypost's keys. */
const childEnvironment = (): NodeJS.ProcessEnv => ({
  PATH: process.env["PATH"],
  LD_LIBRARY_PATH: process.env["LD_LIBRARY_PATH"],
  MALLOC_ARENA_MAX: "2",
  NODE_OPTIONS: "--max-old-space-size=256",
});

/**
 * The child processes that look into files which anybody may have made: a few at most, each killed when it takes too long, ended
 * when there is nothing to do.
 */
export class MediaWorkers extends Context.Service<MediaWorkers>()("waypost/media/MediaWorkers", {
  make: Effect.gen(function* () {
    const program = yield* MediaWorkerProgram;
    const limits = yield* MediaWorkerLimits;
    const turns = yield* Semaphore.make(limits.children);
    const all = new Set<MediaWorker>();
    const resting: Array<MediaWorker> = [];
    let asked = 0;
    yield* Effect.addFinalizer(() => Effect.sync(() => all.forEach((child) => child.kill())));

    const take = Effect.sync(() => {
      for (const child of all) if (!child.isAlive) all.delete(child);
      for (let child = resting.pop(); child !== undefined; child = resting.pop())
        if (child.isAlive) return child;
      const child = new MediaWorker(program);
      all.add(child);
      return child;
    });
    const giveBack = (child: MediaWorker) =>
      Effect.sync(() => {
        if (!child.isAlive) return void all.delete(child);
        child.rest(limits.idleMillis);
        resting.push(child);
      });

    const answer = (job: MediaJob) =>
      turns.withPermits(1)(
        Effect.acquireUseRelease(take, (child) => child.run(job, limits.jobMillis), giveBack),
      );

    return {
      /** Has a child do the job, after those that were asked for before. */
      run: Effect.fn("MediaWorkers.run")(function* (job: MediaJob) {
        if (asked >= limits.children + limits.waiting) {
          yield* countJob("turned_away");
          return yield* new MediaReaderAway({ problem: "too many files are waiting already." });
        }
        asked += 1;
        const given = yield* Effect.ensuring(
          answer(job),
          Effect.sync(() => void (asked -= 1)),
        );
        yield* countJob(outcomeOf(given));
        if (given.is === "refused") return yield* new MediaRefused({ message: given.message });
        if (given.is === "unable") return yield* new MediaReaderAway({ problem: given.problem });
        if (given.is === "ready") return yield* Effect.die(new Error("A child answered before it was asked"));
        return given satisfies MediaResult;
      }),
      /** Children that run now. */
      running: Effect.sync(() => [...all].filter((child) => child.isAlive).length),
    };
  }),
}) {
  static readonly layer = Layer.effect(MediaWorkers, MediaWorkers.make);
}
