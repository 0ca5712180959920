import { assert, describe, it } from "@effect/vitest";
import { parse } from "csv-parse/sync";
import fc from "fast-check";
import { csvCell, csvLine, csvValue, distinctHeadings } from "../../../src/http/csv/Csv.ts";
import { csvName } from "../../../src/http/csv/CsvFile.ts";

describe("CSV files", () => {
  it("what a spreadsheet would run is preceded by an apostrophe, and numbers are not (M5.5)", () => {
    for (const [value, cell] of [
      ["=1+1", "'=1+1"],
      ["+31 6", "'+31 6"],
      ["-x", "'-x"],
      ["@me", "'@me"],
      ["\tx", "'\tx"],
      ["\rx", `"'\rx"`],
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
