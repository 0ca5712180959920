/**
 * The limits of one job of a media worker. A decoder blocks the thread that runs it, so another thread
 * watches the process, and ends it when the job exceeds a limit (contract H1).
 */
import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { Worker } from "node:worker_threads";

/** The 2 seconds and 300 MB of a file, less what a job may use between two polls. */
const limits = { cpuMicros: 1_900_000, memoryBytes: 280_000_000, pollMillis: 5 };

/** The memory that a worker may still map when it is ready, part of which is never touched. */
const maxMappedBytes = 400_000_000;

/** The signal that ends a worker whose job exceeds its CPU time. It writes no core dump. */
export const overCpuLimit = "SIGVTALRM";
/** The signal that ends a worker whose job exceeds its memory. Linux sends it, too, when memory runs out. */
export const overMemoryLimit = "SIGKILL";

interface WatchdogData {
  readonly limits: typeof limits;
  readonly signals: { readonly cpu: NodeJS.Signals; readonly memory: NodeJS.Signals };
  /** 0: whether a job runs. */
  readonly running: Int32Array;
  /** 0: the CPU time of the process at the start of the job, in microseconds. */
  readonly startMicros: Float64Array;
}

/**
 * The code of the watching thread. It is started from its text, because the executable has no files. So it
 * uses nothing outside itself, and has no inner functions, to which the bundler would add calls.
 */
const watch = (): void => {
  const data = process.getBuiltinModule("node:worker_threads").workerData as WatchdogData;
  while (true) {
    Atomics.wait(data.running, 0, 0);
    while (Atomics.load(data.running, 0) === 1) {
      const { system, user } = process.cpuUsage();
      if (system + user - (data.startMicros[0] ?? 0) > data.limits.cpuMicros)
        process.kill(process.pid, data.signals.cpu);
      if (process.memoryUsage.rss() > data.limits.memoryBytes) process.kill(process.pid, data.signals.memory);
      Atomics.wait(data.running, 0, 1, data.limits.pollMillis);
    }
  }
};

/**
 * Lets the kernel refuse memory that the watching thread would notice too late. Works where Linux has
 * `prlimit`; the watching thread works everywhere.
 */
const limitMappedMemory = (): void => {
  if (process.platform !== "linux") return;
  const status = readFileSync("/proc/self/status", "latin1");
  const mapped = Number(/^VmData:\s+(\d+) kB$/m.exec(status)?.[1]) * 1024;
  if (!(mapped > 0)) return;
  spawnSync("prlimit", ["--pid", String(process.pid), `--data=${mapped + maxMappedBytes}`, "--core=0"], {
    stdio: "ignore",
  });
};

/** Starts watching this process. Gives the functions that start and end a job. */
export const startWatchdog = async () => {
  const running = new Int32Array(new SharedArrayBuffer(4));
  const startMicros = new Float64Array(new SharedArrayBuffer(8));
  const signals = { cpu: overCpuLimit, memory: overMemoryLimit } as const;
  const workerData: WatchdogData = { limits, signals, running, startMicros };
  const thread = new Worker(`(${watch.toString()})()`, {
    eval: true,
    workerData,
    resourceLimits: { maxOldGenerationSizeMb: 16, maxYoungGenerationSizeMb: 2 },
  });
  thread.unref();
  await once(thread, "online");
  limitMappedMemory();
  return {
    startJob: (): void => {
      const { system, user } = process.cpuUsage();
      startMicros[0] = system + user;
      Atomics.store(running, 0, 1);
      Atomics.notify(running, 0);
    },
    endJob: (): void => {
      Atomics.store(running, 0, 0);
      Atomics.notify(running, 0);
    },
  };
};
