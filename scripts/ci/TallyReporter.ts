import { writeFileSync } from "node:fs";
import process from "node:process";
import type { Reporter, TestModule } from "vitest/node";

/**
 * Writes `N passed, N failed` to the file named by WAYPOST_TALLY when the run is over. A test file that does
 * not load, a failed hook outside a test and an error outside any test each count as one failure, so that a
 * broken run never reads as zero failed. Prints each test that passed at its second attempt.
 */
export default class TallyReporter implements Reporter {
  onTestRunEnd(modules: ReadonlyArray<TestModule>, unhandledErrors: ReadonlyArray<unknown>): void {
    let passed = 0;
    let failed = unhandledErrors.length;
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
    const file = process.env["WAYPOST_TALLY"];
    if (file !== undefined) writeFileSync(file, `${passed} passed, ${failed} failed\n`);
  }
}
