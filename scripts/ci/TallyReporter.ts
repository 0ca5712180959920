import { existsSync, readFileSync, writeFileSync } from "node:fs";
import process from "node:process";
import type { Reporter, TestModule } from "vitest/node";

/**
 * Writes `N passed, N failed` to the file named by WAYPOST_TALLY when the run is over, and adds the counts of
 * an earlier run that the file has. A test file that does not load, a failed hook outside a test and an error
 * outside any test each count as one failure, so that a broken run never reads as zero failed. Prints each
 * test that passed at its second attempt.
 */
export default class TallyReporter implements Reporter {
  onTestRunEnd(modules: ReadonlyArray<TestModule>, unhandledErrors: ReadonlyArray<unknown>): void {
    const file = process.env["WAYPOST_TALLY"];
    let [passed, failed] = file === undefined ? [0, 0] : tallyIn(file);
    failed += unhandledErrors.length;
    for (const module of modules) {
      for (const test of module.children.allTests()) {
        const { state } = test.result();
        if (state === "passed") passed += 1;
        if (test.diagnostic()?.flaky === true)
          process.stdout.write(
            `Passed at its second attempt: ${module.relativeModuleId} > ${test.fullName}\n`,
          );
        if (state === "failed" || state === "pending") failed += 1;
      }
      failed += module.errors().length;
      for (const suite of module.children.allSuites()) failed += suite.errors().length;
    }
    if (file !== undefined) writeFileSync(file, `${passed} passed, ${failed} failed\n`);
  }
}

/** The counts that a file has, or zeros if there is none. */
const tallyIn = (file: string): [passed: number, failed: number] => {
  const counts = existsSync(file) ? readFileSync(file, "utf8").match(/\d+/g) : null;
  return [Number(counts?.[0] ?? 0), Number(counts?.[1] ?? 0)];
};
