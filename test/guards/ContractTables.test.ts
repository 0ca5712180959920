import { assert, describe, it } from "@effect/vitest";
import { contractFindings, type ContractSources, testsById } from "../../scripts/check/contract.ts";

const numbers = { A: 5, B: 6, C: 2, D: 5, E: 12, F: 8, G: 6, H: 4, I: 2, J: 3, K: 9, L: 9, M: 5, N: 5, R: 1 };
const row = (id: string, endpoint: string) => `| ${id} | It holds | ${endpoint} |`;
const numbered = Object.entries(numbers).flatMap(([letter, count]) =>
  Array.from({ length: count }, (_, index) => `${letter}${index + 1}`),
);

const testFile = (text: string) => ({ path: "test/some/Some.test.ts", text });
const citeAll = `
layer(TestWaypost.layer)("Some group", (it) => {
  it.effect("holds (${numbered.join(", ")}, me.all)", () => 1);
});
`;

const sourcesOf = (rows: ReadonlyArray<string>, tests: string): ContractSources => ({
  index: { path: "docs/contract.md", text: "" },
  pages: [
    {
      path: "docs/contract/page.md",
      text: [...numbered.map((id) => row(id, "everywhere")), row("me.all", "GET /me"), ...rows].join("\n"),
    },
  ],
  tests: [testFile(`${citeAll}${tests}`)],
  operations: new Set(["GET /me"]),
  codes: new Set(),
});

const findingsOf = (
  rows: ReadonlyArray<string>,
  tests = "",
  more: Partial<ContractSources> = {},
): ReadonlyArray<string> =>
  contractFindings({ ...sourcesOf(rows, tests), ...more }).map(({ message }) => message);

describe("the tables of the contract", () => {
  it("a requirement is covered by a test that cites its id, its number or a range", () => {
    const rows = ["E3.1", "E3.2", "me.name", "me.id"].map((id) => row(id, "every list<br>GET /me"));
    const tests = `
      it.effect.each([[1]] as const)("%s is \\"quoted\\" (me.name)", () => 1);
      it(\`\${name} holds (D1–D3, me.id)\`, () => 1);`;
    assert.deepStrictEqual(findingsOf(rows, tests), []);
    const found = testsById(sourcesOf(rows, tests));
    assert.deepStrictEqual(
      found.get("me.name")?.map(({ line, name }) => [line, name]),
      [[6, '%s is "quoted" (me.name)']],
    );
    assert.lengthOf(found.get("D2") ?? [], 2);
    assert.lengthOf(found.get("E3.2") ?? [], 1);
  });

  it("a requirement that only the name of a group cites has no test", () => {
    const rows = [row("me.name", "GET /me")];
    assert.lengthOf(findingsOf(rows), 1);
    assert.lengthOf(findingsOf(rows, `describe("A group (me.name)", () => 1);`), 1);
    assert.lengthOf(findingsOf(rows, `layer(x)("A group (me.name)", (it) => 1);`), 1);
  });

  it("an id has one row of three cells, and one of two forms", () => {
    assert.include(findingsOf([row("A1", "GET /me")])[0], "earlier row");
    assert.include(findingsOf([row("Rule 7", "GET /me")])[0], "neither");
    assert.include(findingsOf(["| me.x | It holds | GET /me | |"])[0], "three cells");
    assert.include(findingsOf(["| me.x |  It holds | GET /me |"])[0], "one space");
    assert.include(findingsOf(["| me.x |  | GET /me |"])[0], "has no requirement");
  });

  it("every endpoint, error code and number has a row, and a row names known endpoints", () => {
    assert.include(findingsOf([row("me.all2", "GET /you")], `it("x (me.all2)", 1)`)[0], "which no document");
    assert.include(findingsOf([], "", { operations: new Set(["GET /me", "GET /you"]) })[0], "GET /you");
    assert.include(findingsOf([], "", { codes: new Set(["not_found"]) })[0], "errors.not_found");
    const { pages } = sourcesOf([], "");
    const without = pages.map((page) => ({ ...page, text: page.text.split("\n").slice(1).join("\n") }));
    assert.include(findingsOf([], "", { pages: without })[0], "A1 of the contract has no row");
  });

  it("an id that a test cites has a row", () => {
    assert.deepStrictEqual(findingsOf([], `it("holds (B1, E13)", () => 1);`), [
      '"holds (B1, E13)" cites E13, which has no row.',
    ]);
  });

  it("the name of a test may be joined from two string literals", () => {
    const tests = `it.effect(\n  "a rule holds " +\n    "(E4)",\n  () => 1,\n);`;
    const found = testsById(sourcesOf([row("E4.1", "GET /me")], tests)).get("E4.1");
    assert.strictEqual(found?.at(-1)?.name, "a rule holds (E4)");
  });
});
