import { afterAll } from "vitest";
import { cpuSeconds, runningCpuSeconds } from "../scripts/ci/CpuSeconds.ts";

declare module "vitest" {
  interface TaskMeta {
    /** Seconds of CPU of a test file, with those of the processes that it started. */
    cpu?: number;
    /** The part of processes that still run: a browser ends after its worker, which does not count it. */
    running?: number;
  }
}

// A setup file runs before each test file is imported, and its hook after all others. A worker runs one file
// at a time.
const before = { ended: cpuSeconds(), running: runningCpuSeconds() };

// oxlint-disable-next-line no-empty-pattern -- the first argument must be destructured, and has nothing here
afterAll(({}, suite) => {
  const running = runningCpuSeconds() - before.running;
  Object.assign(suite.file.meta, { running, cpu: cpuSeconds() - before.ended + running });
});
