import { globSync, readFileSync } from "node:fs";
import { defineConfig } from "vitest/config";
import { LongestFirst } from "./test/LongestFirst.ts";

// Tests import "waypost/client" as a user does, and get its source: a fresh clone needs no build.
const conditions = ["waypost-source"];
const resolution = {
  resolve: { conditions },
  ssr: { resolve: { conditions, externalConditions: conditions } },
};

const shared = {
  setupFiles: ["test/CpuMeter.ts", "test/FixedSeed.ts"],
  pool: "forks" as const,
  // Files share the modules of their worker: importing them again for each file would be a third of the work
  // of a run.
  isolate: false,
  // Bounds on tests that hang, wide enough for any machine. A statement takes several times as long on Citus.
  testTimeout: process.env["WAYPOST_TEST_CITUS"] === undefined ? 300_000 : 1_500_000,
  hookTimeout: 240_000,
  teardownTimeout: 60_000,
};

const service = "test/**/*.service.test.ts";
const processes = "test/**/*.process.test.ts";
const browser = "test/**/*.console.test.ts";
/** Compares what the tests of `service` recorded with the types of the program. */
const rows = "test/**/*.rows.test.ts";
/**
 * Simulations, upgrades, kills, seeded walks and packages: the endurance of rules that a shorter test also
 * holds. In a browser (`.console.long.test.ts`), the walks through pages that take most of the CPU.
 */
const long = "test/**/*.long.test.ts";
/** Files with random cases, of which `npm test` runs a quarter: `long` runs them with all. */
const withCases = globSync("test/**/*.test.ts").filter((file) =>
  /\bfc\.assert\(|\b(?:cases|someOf)\(/.test(readFileSync(file, "utf8")),
);
const onPostgres = {
  provide: { oneCaseOf: 4 as const },
  globalSetup: ["test/globalSetup.ts"],
  // A test that passes at its second attempt fails the run (docs/decisions/0060).
  retry: 1,
};

/** The console and the web SDK are built for the tests in a browser. */
const browserSetup = [...onPostgres.globalSetup, "test/console/BuildConsole.ts"];

export default defineConfig({
  ...resolution,
  test: {
    // One more than the cores that CI has: many tests wait for processes.
    maxWorkers: 3,
    watch: false,
    allowOnly: false,
    passWithNoTests: false,
    sequence: { shuffle: false, hooks: "stack", sequencer: LongestFirst },
    reporters: ["default", "./scripts/ci/TallyReporter.ts"],
    projects: [
      {
        ...resolution,
        test: {
          ...shared,
          name: "fast",
          include: ["test/**/*.test.ts"],
          exclude: [service, processes, browser, rows, long],
          provide: { oneCaseOf: 4 },
        },
      },
      {
        ...resolution,
        test: {
          ...shared,
          ...onPostgres,
          name: "service",
          include: [service],
          setupFiles: [...shared.setupFiles, "test/rows/RecordStatements.ts"],
        },
      },
      {
        ...resolution,
        test: {
          ...shared,
          ...onPostgres,
          retry: 0,
          name: "rows",
          include: [rows],
          sequence: { groupOrder: 1 },
        },
      },
      { ...resolution, test: { ...shared, ...onPostgres, name: "process", include: [processes] } },
      {
        ...resolution,
        test: {
          ...shared,
          ...onPostgres,
          name: "long",
          include: [long, ...withCases],
          globalSetup: browserSetup,
          provide: { oneCaseOf: 1 },
        },
      },
      {
        ...resolution,
        test: {
          ...shared,
          ...onPostgres,
          name: "console",
          include: [browser],
          globalSetup: browserSetup,
        },
      },
    ],
  },
});
