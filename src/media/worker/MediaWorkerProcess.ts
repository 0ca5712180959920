import { Context, Effect } from "effect";
import { type ChildProcess, spawn } from "node:child_process";
import { type FileHandle, open } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { messageOf } from "../../database/DurableFiles.ts";
import { yieldCpu } from "../../processes/CpuPriority.ts";
import {
  type MediaJob,
  type MediaJobMessage,
  mediaWorkerCommand,
  type MediaResult,
  type MediaWorkerMessage,
} from "./MediaJob.ts";
import { overCpuLimit, overMemoryLimit } from "./MediaWatchdog.ts";

/** A program and its arguments. */
export interface Program {
  readonly command: string;
  readonly parameters: ReadonlyArray<string>;
}

/** The program of the media workers: by default this one, through its launcher. */
export const MediaWorkerProgram = Context.Reference<Program>("waypost/media/MediaWorkerProgram", {
  defaultValue: () => ({
    command: process.execPath,
    parameters: [fileURLToPath(new URL("../../../bin/waypost.js", import.meta.url)), mediaWorkerCommand],
  }),
});

/** The executable as a media worker; `runtime` is the folder of its unpacked libraries. */
export const bundledMediaWorker = (runtime: string): Program => ({
  command: process.execPath,
  parameters: [mediaWorkerCommand, runtime],
});

/** Larger than any upload. A job for a larger file is a bug. */
const maxFileBytes = 64 * 1024 * 1024;

/** How long a worker may take to start. */
const startMillis = 30_000;

/** The refusal of a file whose job was killed for its time or memory. */
export const tooCostly =
  "The file takes too much time or memory to inspect. Send a simpler or a smaller one.";
/** How a worker ends that exceeded a limit: by its watchdog, or because V8 or a library got no memory. */
const limitSignals = new Set<number | string>([overCpuLimit, overMemoryLimit, "SIGABRT", "SIGTRAP"]);
const crashed = "The file is broken: inspecting it failed. Send one that is whole.";

/** The environment of a worker: where its libraries are, and none of Waypost's keys. */
const workerEnvironment = (): NodeJS.ProcessEnv => ({
  PATH: process.env["PATH"],
  LD_LIBRARY_PATH: process.env["LD_LIBRARY_PATH"],
  MALLOC_ARENA_MAX: "2",
  UV_THREADPOOL_SIZE: "2",
  NODE_OPTIONS: "--max-old-space-size=128",
});

/** One media worker as seen from the main process. It runs one job at a time. */
export class MediaWorkerProcess {
  readonly #process: ChildProcess;
  #isReady = false;
  #isWorn = false;
  /** The end of its standard error. */
  #errorOutput = "";
  #idleTimer: NodeJS.Timeout | undefined;
  #onReady: (() => void) | undefined;
  #onResult: ((result: MediaResult) => void) | undefined;

  constructor({ command, parameters }: Program) {
    this.#process = spawn(command, parameters, {
      cwd: "/",
      env: workerEnvironment(),
      stdio: ["pipe", "ignore", "pipe", "ipc"],
      serialization: "advanced",
    });
    // Before its first code, so that all its threads have the priority: requests of others come first.
    if (this.#process.pid !== undefined) yieldCpu(this.#process.pid);
    this.#process.stderr?.on("data", (chunk: Buffer) => {
      this.#errorOutput = (this.#errorOutput + chunk.toString()).slice(-2000);
    });
    // The `close` event reports a worker that ends while it receives a file.
    this.#process.stdin?.on("error", () => undefined);
    this.#process.on("message", (message: MediaWorkerMessage) => {
      if (message._tag === "ready") {
        this.#isReady = true;
        this.#onReady?.();
      } else {
        this.#isWorn = message.isWorn;
        this.#onResult?.(message);
      }
    });
    this.#process.on("error", (error) => this.#onExit(error.message));
    this.#process.once("close", (code, signal) => this.#onExit(signal ?? code ?? "an unknown exit code"));
  }

  /** Whether the worker can take another job. */
  get isUsable(): boolean {
    return this.isAlive && !this.#isWorn;
  }

  get isAlive(): boolean {
    const { connected, exitCode, killed, pid, signalCode } = this.#process;
    return pid !== undefined && connected && !killed && exitCode === null && signalCode === null;
  }

  #onExit(reason: number | string): void {
    const problem = `the media worker ended with ${reason}. ${this.#errorOutput.trim()}`;
    const message = limitSignals.has(reason) ? tooCostly : crashed;
    this.#onResult?.(this.#isReady ? { _tag: "refused", message } : { _tag: "unable", problem });
  }

  /** Sends the job and its file. The worker cannot open files itself. */
  readonly #send = async ({ path, task }: MediaJob): Promise<void> => {
    let file: FileHandle | undefined;
    try {
      file = await open(path);
      const message: MediaJobMessage = { task, bytes: (await file.stat()).size };
      if (message.bytes > maxFileBytes) throw new Error(`${path} is larger than any upload.`);
      this.#process.send(message, (error) => void (error && this.kill()));
      // Exactly the stated bytes, or the worker would take others for the start of the next file.
      const stream = file.createReadStream({ autoClose: false, end: Math.max(message.bytes - 1, 0) });
      for await (const chunk of stream) await this.#write(chunk as Buffer);
    } catch (error) {
      if (!this.isAlive) return;
      this.kill();
      this.#onResult?.({ _tag: "unable", problem: messageOf(error) });
    } finally {
      await file?.close();
    }
  };

  #write(chunk: Buffer): Promise<void> {
    return new Promise((resolve, reject) =>
      this.#process.stdin?.write(chunk, (error) => (error ? reject(error) : resolve())),
    );
  }

  /**
   * Runs a job. Kills the worker when the job is interrupted, or takes longer than `timeoutMillis` after the
   * worker's start.
   */
  readonly run = (job: MediaJob, timeoutMillis: number): Effect.Effect<MediaResult> =>
    Effect.callback<MediaResult>((resume) => {
      clearTimeout(this.#idleTimer);
      const finish = (result: MediaResult): void => {
        clearTimeout(timer);
        this.#onReady = undefined;
        this.#onResult = undefined;
        resume(Effect.succeed(result));
      };
      const stop = (): void => {
        this.kill();
        finish(
          this.#isReady
            ? { _tag: "refused", message: tooCostly }
            : { _tag: "unable", problem: `the media worker does not start. ${this.#errorOutput}` },
        );
      };
      let timer = setTimeout(stop, this.#isReady ? timeoutMillis : startMillis);
      this.#onReady = () => {
        clearTimeout(timer);
        timer = setTimeout(stop, timeoutMillis);
      };
      this.#onResult = finish;
      if (this.isAlive) void this.#send(job);
      else this.#onExit("an exit before its first job");
      return Effect.sync(() => {
        clearTimeout(timer);
        this.#onReady = undefined;
        this.kill();
      });
    });

  /** Stops the worker unless it gets another job within `millis`. */
  readonly stopAfter = (millis: number): void => {
    this.#idleTimer = setTimeout(this.kill, millis);
    this.#idleTimer.unref();
  };

  readonly kill = (): void => {
    clearTimeout(this.#idleTimer);
    // For a process that was not started, Node kills the process 0: the whole process group, Waypost too.
    if (this.#process.pid !== undefined) this.#process.kill("SIGKILL");
  };
}
