import { assert, describe, it } from "@effect/vitest";
import { contractFindings, type ContractGround } from "../../scripts/check/contract.ts";

const numbers = { A: 5, B: 6, C: 2, D: 5, E: 12, F: 8, G: 6, H: 4, I: 2, J: 3, K: 9, L: 9 };
const row = (id: string, endpoint: string, test: string) => `| ${id} | It holds | ${endpoint} | ${test} |`;
const allNumbers = Object.entries(numbers).flatMap(([letter, count]) =>
  Array.from({ length: count }, (_, at) =>
    row(`${letter}${at + 1}`, "everywhere", "Some.test.ts › holds (A1)"),
  ),
);

const someTests = `
layer(TestWaypost.layer)("Some group", (it) => {
  it.effect("holds (A1)", () => 1);
  it.effect.each([[1]] as const)("%s is "quoted"", () => 1);
  it.effect(
    "stands on a line \\"of its own\\"",
    () => 1);
});
describe("A group", () => { it(\`\${name} is told\`, () => 1); });
`;

const findingsOf = (rows: ReadonlyArray<string>, more: Partial<ContractGround> = {}, index = "") =>
  contractFindings({
    index: { path: "docs/contract.md", text: `## Not built yet\n\n${index}\n## Readings\n- **other**: x` },
    pages: [
      {
        path: "docs/contract/page.md",
        text: [...allNumbers, row("me.all", "GET /me", "Some.test.ts › holds (A1)"), ...rows].join("\n"),
      },
    ],
    tests: [{ path: "test/some/Some.test.ts", text: someTests }],
    operations: new Set(["GET /me"]),
    codes: new Set(),
    ...more,
  }).map(({ message }) => message);

describe("The tables of the contract", () => {
  it("are right where every row names a test that exists, also a quoted or made one", () => {
    assert.deepStrictEqual(
      findingsOf([
        row(
          "me.name",
          "GET /me",
          'Some.test.ts › stands on a line "of its own"<br>Some.test.ts › holds (A1)',
        ),
        row("me.id", "every list<br>GET /me", "Some.test.ts › ${name} is told"),
      ]),
      [],
    );
  });

  it("want a test in each row, by its exact name, and no group's", () => {
    for (const test of ["", "Some.test.ts › holds", "Some.test.ts › Some group", "Some.test.ts › A group"]) {
      assert.lengthOf(findingsOf([row("me.name", "GET /me", test)]), 1, test);
    }
    assert.include(
      findingsOf([row("me.name", "GET /me", "Gone.test.ts › holds (A1)")])[0],
      "no such test file",
    );
  });

  it("let a row wait only for an area that is listed as not built yet, as long as one does", () => {
    const waiting = row("media.list", "GET /media", "not built: media");
    assert.deepStrictEqual(findingsOf([waiting], {}, "- **media**: files"), []);
    assert.include(findingsOf([waiting])[0], "not listed");
    assert.include(findingsOf([row("x.y", "GET /me", "not built: other")])[0], "not listed");
    assert.include(findingsOf([], {}, "- **media**: files")[0], "take it off");
  });

  it("have each id once, in a form that says where it is from", () => {
    const good = "Some.test.ts › holds (A1)";
    assert.include(findingsOf([row("A1", "GET /me", good)])[0], "another row A1");
    assert.include(findingsOf([row("Rule 7", "GET /me", good)])[0], "neither");
    assert.include(findingsOf([`| me.x | It holds | GET /me | ${good} | |`])[0], "four cells");
    assert.include(findingsOf([`| me.x |  It holds | GET /me | ${good} |`])[0], "one blank");
    assert.include(findingsOf([`| me.x |  | GET /me | ${good} |`])[0], "what holds");
  });

  it("know every endpoint, and have a row for each of them, each error code and each number", () => {
    const good = "Some.test.ts › holds (A1)";
    assert.include(findingsOf([row("me.x", "GET /you", good)])[0], "in no document");
    assert.include(findingsOf([], { operations: new Set(["GET /me", "GET /you"]) })[0], "about GET /you");
    assert.include(findingsOf([], { codes: new Set(["not_found"]) })[0], "errors.not_found");
    const page = {
      path: "docs/contract/page.md",
      text: allNumbers.slice(1).join("\n").replace("everywhere", "GET /me"),
    };
    assert.include(findingsOf([], { pages: [page] })[0], "A1 has no row");
  });

  it("are told of a test that cites a number that there is not", () => {
    const tests = [{ path: "test/some/Some.test.ts", text: `${someTests} it("holds (B1, E13)", () => 1);` }];
    assert.deepStrictEqual(findingsOf([], { tests }), ['"holds (B1, E13)" cites E13, which there is not.']);
  });
});
