import { defineConfig } from "vitest/config";
import { LongestFirst } from "./test/LongestFirst.ts";

// Tests import "waypost/client" as a user does, and get its source: a fresh clone needs no build.
const conditions = ["waypost-source"];

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions, externalConditions: conditions } },
  test: {
    include: ["test/**/*.test.ts"],
    globalSetup: ["test/globalSetup.ts"],
    setupFiles: ["test/FixedSeed.ts"],
    pool: "forks",
    // Files share the modules of their worker: to load them anew for each file would be a third of the run's work.
    isolate: false,
    // One more than the cores that CI has: many tests wait for processes.
    maxWorkers: 3,
    // Bounds on what hangs, so wide that no machine is too slow for them.
    testTimeout: 600_000,
    hookTimeout: 600_000,
    teardownTimeout: 60_000,
    watch: false,
    allowOnly: false,
    passWithNoTests: false,
    sequence: { shuffle: false, hooks: "stack", sequencer: LongestFirst },
    reporters: process.env["WAYPOST_TALLY"] ? ["default", "./scripts/ci/TallyReporter.ts"] : ["default"],
  },
});
