/**
 * Measures the event loop and the heap of the process that preloads this file: `node --import
 * ./LoopProbe.ts`. SIGUSR2 writes the figures since the last one to the file of `LOOP_PROBE`, and begins
 * again.
 */
import { renameSync, writeFileSync } from "node:fs";
import { monitorEventLoopDelay } from "node:perf_hooks";
import process from "node:process";

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
}

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
  process.on("SIGUSR2", () => {
    const { external, heapTotal } = measureHeap();
    const result: Probed = {
      p50: millis(delays.percentile(50)),
      p99: millis(delays.percentile(99)),
      max: millis(delays.max),
      heap: { live: mebibytes(live), total: mebibytes(heapTotal), external: mebibytes(external) },
    };
    delays.reset();
    live = Infinity;
    writeFileSync(`${file}.new`, JSON.stringify(result));
    renameSync(`${file}.new`, file);
  });
}
