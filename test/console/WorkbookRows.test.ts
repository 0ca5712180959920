import { assert, describe, it } from "@effect/vitest";
import { readTable } from "../../console/locations/import/ImportTable.ts";
import { workbookBounds, workbookRows } from "../../console/locations/import/WorkbookRows.ts";
import { packedWorkbook, sheetOf, testWorkbook, testZip } from "./TestWorkbook.ts";

const rowsOf = (bytes: Uint8Array) => workbookRows(new Uint8Array(bytes));
const refusal = (bytes: Uint8Array): Promise<string> => rowsOf(bytes).then(JSON.stringify, String);
const row = (at: number, cells: string) => `<row r="${at}">${cells}</row>`;
const text = (reference: string, value: string) =>
  `<c r="${reference}" t="inlineStr"><is><t>${value}</t></is></c>`;
const noStrings = "<sst/>";

describe("workbooks", () => {
  it("all kinds of cells become texts, under the numbers of their rows (console.import)", async () => {
    const shared =
      '<sst><si><r><t>Da</t></r><r><t>m</t></r><rPh sb="0" eb="1"><t>x</t></rPh></si>' +
      "<si><t>A &amp; &lt;B&gt; &#233;</t></si></sst>";
    const styles = '<styleSheet><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/></cellXfs></styleSheet>';
    const sheet = sheetOf(
      row(2, '<c r="A2" t="s"><v>0</v></c><c r="C2" t="s"><v>1</v></c>') +
        row(3, '<c r="A3"><v>52.37</v></c><c r="B3" t="b"><v>1</v></c><c r="C3" s="1"><v>45000</v></c>') +
        row(
          5,
          '<c r="A5"><f>1+1</f><v>2</v></c><c r="B5" t="str"><v>a</v></c><c r="C5" t="e"><v>#N/A</v></c>',
        ) +
        `<row><c t="inlineStr"><is><t>x</t></is></c><c/><c t="s"><v>9</v></c></row>${row(9, '<c r="A9"/>')}`,
    );
    assert.deepStrictEqual(await rowsOf(packedWorkbook(sheet, shared, styles)), [
      { number: 2, cells: ["Dam", "", "A & <B> é"] },
      { number: 3, cells: ["52.37", "true", "2023-03-15"] },
      { number: 5, cells: ["2", "a", "#N/A"] },
      { number: 6, cells: ["x"] },
    ]);
  });

  it("a cell far away, and rows of nothing, are not counted (console.import)", async () => {
    const far = sheetOf(row(1, text("A1", "name")) + row(1_048_576, text("B1048576", "last")));
    assert.deepStrictEqual(
      (await rowsOf(packedWorkbook(far, noStrings))).map(({ number }) => number),
      [1, 1_048_576],
    );
    const empty = (cells: string, rows: number) =>
      packedWorkbook(
        sheetOf(Array.from({ length: rows }, (_, at) => row(at + 1, cells)).join("")),
        noStrings,
      );
    assert.deepStrictEqual(await rowsOf(empty('<c r="XFD1"/>', 100)), []);
    assert.deepStrictEqual(await rowsOf(empty('<c r="A1"/>', workbookBounds.rows + 1)), []);
  });

  it("columns, rows and text have bounds, which the sentence names (console.import)", async () => {
    const wide = packedWorkbook(sheetOf(row(1, text("XFD1", "x"))), noStrings);
    assert.include(await refusal(wide), "has more than 256 columns");
    const cells = '<c r="A1"><v>1</v></c>';
    const long = sheetOf(
      Array.from({ length: workbookBounds.rows + 1 }, (_, at) => row(at + 1, cells)).join(""),
    );
    assert.include(await refusal(packedWorkbook(long, noStrings)), "has more than 200,000 rows");
    // One long text that many cells share.
    const shared = `<sst><si><t>${"x".repeat(32_767)}</t></si></sst>`;
    const many = sheetOf(
      Array.from({ length: 2_000 }, (_, at) => row(at + 1, '<c r="A1" t="s"><v>0</v></c>')).join(""),
    );
    assert.include(await refusal(packedWorkbook(many, shared)), "has more text than a list of locations");
  });

  it("a bomb is refused by its directory, and a lying one as damaged (console.import)", async () => {
    const zeros = "0".repeat(workbookBounds.unpackedBytes + 1);
    const files = [["xl/workbook.xml", zeros]] as const;
    assert.include(await refusal(testZip(files)), "unpacks to more than 128 MB");
    for (const size of [0, 1, 1_000]) assert.include(await refusal(testZip(files, () => size)), "is damaged");
    const parts = Array.from({ length: 140 }, (_, at) => [`xl/${at}.xml`, "0".repeat(1_000_000)] as const);
    assert.include(await refusal(testZip(parts)), "unpacks to more than 128 MB");
  });

  it("entities are not resolved, and deep or broken XML ends (console.import)", async () => {
    const laughs =
      '<!DOCTYPE x [<!ENTITY a "haha"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]>' +
      sheetOf(row(1, text("A1", "&b;")));
    assert.notInclude(await refusal(packedWorkbook(laughs, noStrings)), "haha");
    const deep = sheetOf(row(1, "<a>".repeat(200_000)));
    const outcome = await refusal(packedWorkbook(deep, noStrings));
    assert.isTrue(outcome === "[]" || outcome.includes("is damaged"), outcome.slice(0, 200));
    for (const hostile of [
      `<row r="1"><c r="A1"><v>${"&".repeat(100_000)}`,
      `<row ${'r="'.repeat(50_000)}`,
      "<c".repeat(100_000),
      "<!--".repeat(100_000),
      `<row r="1e999">${text("A1", "x")}</row>`,
    ])
      assert.isString(await refusal(packedWorkbook(sheetOf(hostile), hostile)));
  });

  it("a workbook that is cut off, or with a changed byte, is read or damaged (console.import)", async () => {
    const whole = testWorkbook([
      ["name", "latitude"],
      ["A", 52.1],
    ]);
    for (let at = 0; at < whole.length; at += 7) {
      const cut = await refusal(whole.subarray(0, at));
      assert.include(cut, "is damaged", String(at));
      const changed = Buffer.from(whole);
      changed[at] = (changed[at] ?? 0) ^ 0xff;
      const outcome = await refusal(changed);
      assert.isTrue(outcome.startsWith("[") || /ImportFileBroken: The workbook/.test(outcome), outcome);
    }
  });

  it("an old workbook, or one with a password, says so (console.import)", async () => {
    const ole = new File([Buffer.from("d0cf11e0a1b11ae1", "hex")], "stores.xls");
    const sentence = await readTable(ole, () => Promise.reject(new Error("not read"))).then(String, String);
    assert.include(sentence, "an old one (.xls) or has a password: save it as .xlsx");
  });
});
