import { assert, describe, it } from "@effect/vitest";
import { mapFindings, maxAnswerFiles } from "../../scripts/check/codeMap.ts";

const files: Record<string, string> = {
  "src/a/A.ts": "export const first = 1;",
  "src/a/B.ts": "",
  "src/a/deep/C.ts": "",
  "sdk/D.ts": "",
  "schema/": "",
};

const found = (answer: string): ReadonlyArray<string> =>
  mapFindings(
    {
      path: "ARCHITECTURE.md",
      text: `# Map\n\n## Where is …\n\n| Which? | ${answer} |\n\n## Slices\n\n| b | \`None.ts\` |\n`,
    },
    (path) => files[path],
  ).map(({ line, message }) => `${line} ${message}`);

describe("the map of the code", () => {
  it.each([
    "`a/A.ts` (`first`), `B.ts` beside it, `deep/C.ts`; `sdk/D.ts`",
    "`schema/`, one file a noun",
    "`first` in the slice's `…Api.ts`, used by `a/A.ts` (`node:cluster`)",
  ])("a row of at most four files that exist has no finding: %s", (answer) => {
    assert.deepStrictEqual(found(answer), []);
  });

  it.each([
    ["`a/None.ts`", "5 Which? There is no file a/None.ts."],
    ["`a/A.ts`, `C.ts`", "5 Which? There is no file C.ts."],
    ["`a/B.ts` (`first`)", "5 Which? None of the files has first."],
    ["`a` is everywhere", "5 Which? The answer names 0 files; it must name 1 to 4."],
    [
      "`a/A.ts`, `B.ts`, `a/A.ts`, `B.ts`, `sdk/D.ts`",
      "5 Which? The answer names 5 files; it must name 1 to 4.",
    ],
  ])("a row with another answer is found: %s", (answer, finding) => {
    assert.strictEqual(maxAnswerFiles, 4);
    assert.include(found(answer), finding);
  });
});
