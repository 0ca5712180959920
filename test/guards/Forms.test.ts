import { assert, describe, it } from "@effect/vitest";
import { commentForms, subjectForms } from "../../scripts/check/forms.ts";

const linesOf = (text: string, path = "src/http/Server.ts"): ReadonlyArray<number> =>
  commentForms({ path, text }).map(({ line }) => line);

describe("doc comments", () => {
  it.each([
    "/** What a send adds. */",
    "/** Where it is. */",
    "/**\n * Those of the ids.\n */",
    "a;\n  /** What */",
  ])("%j begins with a relative clause", (text) => {
    assert.deepStrictEqual(linesOf(text), [text.startsWith("a") ? 2 : 1]);
  });

  it.each([
    "/** Returns what it has. */",
    "/** Whatever. */",
    "/**\n * The ids.\n * Those of a send.\n */",
    "/* What */",
  ])("%j is accepted", (text) => {
    assert.deepStrictEqual(linesOf(text), []);
  });

  it("documentation and the rule's own tests are not checked", () => {
    assert.deepStrictEqual(linesOf("/** What */", "docs/states.md"), []);
    assert.deepStrictEqual(linesOf("/** What */", "test/guards/Forms.test.ts"), []);
    assert.deepStrictEqual(linesOf("/** What */", "console/shell/PageProps.ts"), [1]);
  });
});

describe("commit subjects", () => {
  it("a subject that begins with Let or Say is a finding with its commit", () => {
    const log = "a1b2c3d Let it run\nb2c3d4e Stop letting it run\nc3d4e5f Say why\nd4e5f60 Letter\n";
    assert.deepStrictEqual(
      subjectForms(log).map(({ file }) => file),
      ["commit a1b2c3d", "commit c3d4e5f"],
    );
  });
});
