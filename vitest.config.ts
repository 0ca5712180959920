import { existsSync } from "node:fs";
import { defineConfig } from "vitest/config";

const globalSetup = existsSync(new URL("test/globalSetup.ts", import.meta.url))
  ? ["test/globalSetup.ts"]
  : [];

// Tests import "waypost/client" as a user does, and get its source: a fresh clone needs no build.
const conditions = ["waypost-source"];

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions, externalConditions: conditions } },
  test: {
    include: ["test/**/*.test.ts"],
    globalSetup,
    pool: "forks",
    // One more than the cores that CI has: many tests wait for processes.
    maxWorkers: 3,
    // Bounds on what hangs, wide enough for a machine with other work.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    teardownTimeout: 60_000,
    watch: false,
    allowOnly: false,
    passWithNoTests: false,
    sequence: { shuffle: false, hooks: "stack" },
    reporters: process.env["WAYPOST_TALLY"] ? ["default", "./scripts/ci/TallyReporter.ts"] : ["default"],
  },
});
