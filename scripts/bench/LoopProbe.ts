/**
 * Measures the event loop and the heap of the process that preloads this file: `node --import
 * ./LoopProbe.ts`. SIGUSR2 writes the figures since the last one to the file of `LOOP_PROBE`, and begins
 * again.
 */
import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { monitorEventLoopDelay } from "node:perf_hooks";
import process from "node:process";
import { setTimeout as pause } from "node:timers/promises";

/** Delays of the event loop in milliseconds. */
export interface LoopDelays {
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
}

/** Memory in MiB. */
export interface HeapSizes {
  /** The least that was in use at a second of the period: about what the last full collection has left. */
  readonly live: number;
  readonly total: number;
  readonly external: number;
}

/** A line that the probe writes. */
export interface Probed extends LoopDelays {
  readonly heap: HeapSizes;
  /**
   * The most CPU of the thread between two turns of the event loop, in milliseconds: waiting for a processor
   * does not count.
   */
  readonly held: number;
}

/** Reads the probe of a process: the figures since the last call. */
export const probed = async (pid: number, file: string): Promise<Probed> => {
  rmSync(file, { force: true });
  process.kill(pid, "SIGUSR2");
  for (let waited = 0; waited < 30_000; waited += 50) {
    await pause(50);
    try {
      return JSON.parse(readFileSync(file, "utf8")) as Probed;
    } catch {
      // Not written yet.
    }
  }
  throw new Error("The probe of the process has not answered within 30 s.");
};

const file = process.env["LOOP_PROBE"];
const resolution = 2;

if (file !== undefined) {
  const delays = monitorEventLoopDelay({ resolution });
  delays.enable();
  const millis = (nanos: number): number => Math.max(0, nanos / 1e6 - resolution);
  const mebibytes = (bytes: number): number => bytes / 1_048_576;
  let live = Infinity;
  const measureHeap = (): NodeJS.MemoryUsage => {
    const usage = process.memoryUsage();
    live = Math.min(live, usage.heapUsed);
    return usage;
  };
  setInterval(measureHeap, 1_000).unref();
  const threadMicros = (): number => {
    const { system, user } = process.threadCpuUsage();
    return user + system;
  };
  let held = 0;
  let usedMicros = threadMicros();
  setInterval(() => {
    const now = threadMicros();
    held = Math.max(held, now - usedMicros);
    usedMicros = now;
  }, 1).unref();
  process.on("SIGUSR2", () => {
    const { external, heapTotal } = measureHeap();
    const result: Probed = {
      p50: millis(delays.percentile(50)),
      p99: millis(delays.percentile(99)),
      max: millis(delays.max),
      heap: { live: mebibytes(live), total: mebibytes(heapTotal), external: mebibytes(external) },
      held: held / 1000,
    };
    delays.reset();
    live = Infinity;
    held = 0;
    writeFileSync(`${file}.new`, JSON.stringify(result));
    renameSync(`${file}.new`, file);
  });
}
