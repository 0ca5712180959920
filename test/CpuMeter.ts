import { afterAll } from "vitest";
import { cpuSeconds } from "../scripts/ci/CpuSeconds.ts";

declare module "vitest" {
  interface TaskMeta {
    /** Seconds of CPU of a test file, with those of the processes that it started and that have ended. */
    cpu?: number;
  }
}

// A setup file runs before each test file is imported, and its hook after all others. A worker runs one file
// at a time.
const before = cpuSeconds();

// oxlint-disable-next-line no-empty-pattern -- the first argument must be destructured, and has nothing here
afterAll(({}, suite) => {
  suite.file.meta.cpu = cpuSeconds() - before;
});
