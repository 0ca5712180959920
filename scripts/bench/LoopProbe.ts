/**
 * Measures the event loop of the process that preloads this file: `node --import ./LoopProbe.ts`. SIGUSR2
 * writes the delays since the last one to the file of `LOOP_PROBE`, in milliseconds, and begins again.
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

const file = process.env["LOOP_PROBE"];
const resolution = 2;

if (file !== undefined) {
  const delays = monitorEventLoopDelay({ resolution });
  delays.enable();
  const millis = (nanos: number): number => Math.max(0, nanos / 1e6 - resolution);
  process.on("SIGUSR2", () => {
    const result: LoopDelays = {
      p50: millis(delays.percentile(50)),
      p99: millis(delays.percentile(99)),
      max: millis(delays.max),
    };
    delays.reset();
    writeFileSync(`${file}.new`, JSON.stringify(result));
    renameSync(`${file}.new`, file);
  });
}
