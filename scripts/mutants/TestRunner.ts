/**
 * Runs test files for `scripts/mutants.ts`, again and again in one Vitest: the database of the tests stays
 * up, and each run has new workers. It gets a message for a run and answers with its first failure.
 */
import process from "node:process";
import { createVitest, type TestModule } from "vitest/node";

/** A run: the files of a project, after source files have changed. */
export interface TestOrder {
  readonly project: string;
  readonly files: ReadonlyArray<string>;
  readonly changed: ReadonlyArray<string>;
}

/** Its result: the name of the first test that failed, or null. */
export interface TestAnswer {
  readonly failure: string | null;
}

const vitest = await createVitest({ watch: false, bail: 1, reporters: [{}] });

const failureOf = (module: TestModule): string | null => {
  for (const test of module.children.allTests("failed")) return test.fullName;
  return module.state() === "failed" ? `${module.relativeModuleId} does not load` : null;
};

process.on("message", ({ changed, files, project }: TestOrder) => {
  void (async () => {
    for (const file of changed) vitest.invalidateFile(file);
    const all = await vitest.globTestSpecifications([...files]);
    const wanted = all.filter((each) => each.project.name === project);
    const ids = new Set(wanted.map(({ moduleId }) => moduleId));
    const { testModules, unhandledErrors } = await vitest.runTestSpecifications(wanted);
    const failures = testModules
      .filter((each) => each.project.name === project && ids.has(each.moduleId))
      .flatMap((each) => failureOf(each) ?? []);
    const unhandled = unhandledErrors.length === 0 ? null : "an unhandled error";
    process.send?.({ failure: failures[0] ?? unhandled } satisfies TestAnswer);
  })();
});
process.on("disconnect", () => void vitest.close().finally(() => process.exit()));
process.send?.("ready");
