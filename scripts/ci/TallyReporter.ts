import { existsSync, readFileSync, writeFileSync } from "node:fs";
import process from "node:process";
import type { Reporter, TestModule } from "vitest/node";
import { cpuSeconds } from "./CpuSeconds.ts";

/** Seconds of CPU that a test file may take: a file over it is to be split, or made cheaper. */
const boundOf = (project: string): number => (project === "long" ? 20 : 8);

/**
 * Prints where the time of a run goes: the ten files with the most CPU, files over their bound, and the time
 * and CPU of the whole run. Bounds are printed and fail nothing, since machines differ.
 *
 * A test that passed at its second attempt has failed: its name is printed, and the exit code is 1.
 *
 * Writes `N passed, N failed` to the file named by WAYPOST_TALLY when the run is over, and adds the counts of
 * an earlier run that the file has. A test file that does not load, a failed hook outside a test and an error
 * outside any test each count as one failure, so that a broken run never reads as zero failed.
 */
export default class TallyReporter implements Reporter {
  /** Seconds of CPU of processes that outlived their worker: the browsers. */
  #outlived = 0;

  onInit(): void {
    // The workers and PostgreSQL have ended then, so that their CPU is in the sum.
    process.once("exit", () => {
      const [time, cpu] = [seconds(performance.now() / 1000), seconds(cpuSeconds() + this.#outlived)];
      print(`The run took ${time}, and ${cpu} of CPU in all its processes.`);
    });
  }

  onTestRunEnd(modules: ReadonlyArray<TestModule>, unhandledErrors: ReadonlyArray<unknown>): void {
    printCpu(modules);
    this.#outlived = modules.reduce((sum, module) => sum + (module.meta().running ?? 0), 0);
    const file = process.env["WAYPOST_TALLY"];
    let [passed, failed] = file === undefined ? [0, 0] : tallyIn(file);
    failed += unhandledErrors.length;
    for (const module of modules) {
      for (const test of module.children.allTests()) {
        const { state } = test.result();
        const isSecond = test.diagnostic()?.flaky === true;
        if (isSecond) print(`Failed at the first attempt: ${module.relativeModuleId} > ${test.fullName}`);
        // Chromium loses some inputs and frames.
        const isFlaky = isSecond && !module.relativeModuleId.includes(".console.");
        if (isFlaky) process.exitCode = 1;
        if (state === "passed" && !isFlaky) passed += 1;
        if (state === "failed" || state === "pending" || isFlaky) failed += 1;
      }
      failed += module.errors().length;
      for (const suite of module.children.allSuites()) failed += suite.errors().length;
    }
    if (file !== undefined) writeFileSync(file, `${passed} passed, ${failed} failed\n`);
  }
}

const print = (line: string): boolean => process.stdout.write(`${line}\n`);

const seconds = (number: number): string => `${number.toFixed(1)} s`;

/** Prints the ten files with the most CPU, those over their bound, and the sum. */
const printCpu = (modules: ReadonlyArray<TestModule>): void => {
  const files = modules
    .map((module) => ({
      name: `${module.relativeModuleId} (${module.project.name})`,
      bound: boundOf(module.project.name),
      cpu: module.meta().cpu ?? 0,
    }))
    .toSorted((a, b) => b.cpu - a.cpu);
  print("\nThe files with the most CPU:");
  for (const { cpu, name } of files.slice(0, 10)) print(`${seconds(cpu).padStart(8)}  ${name}`);
  for (const { bound, cpu, name } of files)
    if (cpu > bound) print(`Over its bound of ${bound} s of CPU: ${name}`);
  print(`${seconds(files.reduce((sum, { cpu }) => sum + cpu, 0)).padStart(8)}  in all ${files.length} files`);
};

/** The counts that a file has, or zeros if there is none. */
const tallyIn = (file: string): [passed: number, failed: number] => {
  const counts = existsSync(file) ? readFileSync(file, "utf8").match(/\d+/g) : null;
  return [Number(counts?.[0] ?? 0), Number(counts?.[1] ?? 0)];
};
