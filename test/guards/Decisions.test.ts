import { assert, describe, it } from "@effect/vitest";
import { decisionFindings } from "../../scripts/check/decisions.ts";

const list =
  "| no. | question | decision |\n| --- | --- | --- |\n| 7 | Which? | [That one](0007-that.md) |\n";
const page =
  "# 7. That one\n\n**Context.** A.\n\n**Decision.** B.\n\n**Figures.** C.\n\n**Consequences.** D.\n";

const messagesOf = (text: string, rows = list): ReadonlyArray<string> =>
  decisionFindings({ path: "docs/decisions/README.md", text: rows }, [
    { path: "docs/decisions/0007-that.md", text },
  ]).map(({ file, message }) => `${file.slice(15)} ${message}`);

describe("decisions", () => {
  it("a page with all parts in order and a row in the list has no finding", () => {
    assert.deepStrictEqual(messagesOf(page), []);
  });

  it.each([
    ["another number", page.replace("# 7.", "# 0007:"), 3],
    ["no context", page.replace("**Context.** ", ""), 1],
    ["no decision", page.replace("**Decision.** ", ""), 1],
    ["consequences before alternatives", `${page}\n**Alternatives.** E.\n`, 1],
    ["two contexts", `${page}\n**Context.** E.\n`, 1],
  ])("a page with %s is a finding", (_, text, findings) => {
    assert.strictEqual(messagesOf(text).length, findings);
  });

  it("the list has every page with its title and a question, and no other", () => {
    const row = "[That one](0007-that.md)";
    assert.deepStrictEqual(messagesOf(page, list.replace("Which?", "")), [
      `README.md There is no row with a question for 7 ${row}.`,
    ]);
    assert.deepStrictEqual(messagesOf(page.replace("That one", "This one")), [
      "README.md There is no row with a question for 7 [This one](0007-that.md).",
      `README.md No page has this number and title: 7 ${row}.`,
    ]);
  });
});
