import { assert, describe, it } from "@effect/vitest";
import { parse } from "csv-parse/sync";
import fc from "fast-check";
import { csvCell, csvLine, csvValue, distinctHeadings } from "../../../src/http/csv/Csv.ts";
import { csvName } from "../../../src/http/csv/CsvFile.ts";
import { cases } from "../../FixedSeed.ts";

describe("CSV files", () => {
  it("what a spreadsheet would run is preceded by an apostrophe, and numbers are not (M5.5)", () => {
    for (const [value, cell] of [
      ["=1+1", "'=1+1"],
      ["+31 6", "'+31 6"],
      ["-x", "'-x"],
      ["@me", "'@me"],
      ["\tx", "'\tx"],
      ["\rx", `"'\rx"`],
      ["\nx", `"'\nx"`],
      ["＝1+1", "'＝1+1"],
      ["＋1", "'＋1"],
      ["－1", "'－1"],
      ["＠me", "'＠me"],
      ["-1", "-1"],
      ["+1.50", "+1.50"],
      ["-1.", "'-1."],
      ["--1", "'--1"],
      [-1.5, "-1.5"],
      [-1e30, "'-1e+30"],
      ["a=b", "a=b"],
      [null, ""],
      ["", ""],
      [true, "true"],
    ] as const) {
      assert.strictEqual(csvCell(value), cell, String(value));
    }
  });

  it("a formula within a cell is preceded by an apostrophe, where a reader may split the cell (M5.5)", () => {
    for (const [value, cell] of [
      ["a;=1", "a;'=1"],
      ["a; =1", "a; '=1"],
      [';"@me', `";""'@me"`],
      ["a;;+b", "a;;'+b"],
      ["a\t=1", "a\t'=1"],
      ["a\n-b", `"a\n'-b"`],
      ["a\r\n＝b", `"a\r\n'＝b"`],
      ["=a\n=b;＠c", `"'=a\n'=b;'＠c"`],
      // With the next cell, a number may begin a formula: `-1,2+…` where the comma is a decimal sign.
      ["a;-1", "a;'-1"],
      ["two\r\nlines; a=b", '"two\r\nlines; a=b"'],
    ] as const) {
      assert.strictEqual(csvCell(value), cell, value);
    }
    // Whichever separator a reader takes, and whether it knows quotes, no field is a formula.
    const dangerous = fc.string({
      unit: fc.constantFrom("=", "＠", ";", "\t", "\r", "\n", '"', ",", " ", "x"),
    });
    fc.assert(
      fc.property(fc.array(dangerous, { minLength: 1, maxLength: 3 }), (texts) => {
        const line = csvLine(["id", ...texts]);
        for (const field of line.split(/[;\t\r\n]/)) assert.notMatch(field, /^[ "]*[=＠]/, line);
        for (const [field] of parse(texts.map(csvCell).join("\n"), { relax_column_count: true }))
          assert.notMatch(field, /^[=＠]/, line);
      }),
      { numRuns: cases(500) },
    );
  });

  it("cells are quoted by RFC 4180, so that a reader gets every text back (M5.1)", () => {
    assert.strictEqual(
      csvLine(["a,b", 'say "x"', "two\r\nlines", " plain "]),
      '"a,b","say ""x""","two\r\nlines", plain ',
    );
    fc.assert(
      fc.property(fc.array(fc.string({ unit: "binary" }), { minLength: 2, maxLength: 4 }), (texts) => {
        const given = texts.map((text) => `x${text}`);
        const options = { record_delimiter: "\r\n", relax_column_count: true };
        assert.deepStrictEqual(parse(`${csvLine(given)}\r\n`, options), [given]);
      }),
      { numRuns: 30 },
    );
  });

  it("lists of texts are joined, and other nested values are compact JSON (M5.3)", () => {
    assert.deepStrictEqual(
      [csvValue(["a", "b"]), csvValue({ plan: "gold", n: [1] }), csvValue(undefined), csvValue([])],
      ["a; b", '{"plan":"gold","n":[1]}', null, ""],
    );
  });

  it("equal headings are numbered (M5.3)", () => {
    assert.deepStrictEqual(distinctHeadings(["id", "How?", "How?", "How? (2)", "id"]), [
      "id",
      "How?",
      "How? (2)",
      "How? (2) (2)",
      "id (2)",
    ]);
  });

  it("a file is named after what it holds, the workspace and the days (M5.4)", () => {
    const name = (workspace: string) =>
      csvName("summary", { workspace: { id: "0198", name: workspace } as never }, [
        "2026-10-22",
        "2026-11-21",
      ]);
    assert.strictEqual(name("Café “Zuid” & Co."), "summary-cafe-zuid-co-2026-10-22-2026-11-21.csv");
    assert.strictEqual(name("東京"), "summary-0198-2026-10-22-2026-11-21.csv");
  });
});
