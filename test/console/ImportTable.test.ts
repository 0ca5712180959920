import { assert, describe, it } from "@effect/vitest";
import {
  guessMapping,
  type ImportTable,
  isComplete,
  readTable,
  tableEntries,
} from "../../console/locations/import/ImportTable.ts";
import { workbookRows } from "../../console/locations/import/WorkbookRows.ts";
import { testWorkbook } from "./TestWorkbook.ts";

const read = async (name: string, content: string | Buffer): Promise<ImportTable> => {
  const table = await readTable(new File([Buffer.from(content)], name), async (file) =>
    workbookRows(new Uint8Array(await file.arrayBuffer())),
  );
  if (table === undefined) throw new Error("no table");
  return table;
};

const guessed = (...names: ReadonlyArray<string>) => {
  const { defaultRadius: _, ...columns } = guessMapping({
    head: { number: 1, cells: names },
    rows: [],
    delimiter: ",",
  });
  return Object.fromEntries(Object.entries(columns).map(([field, index]) => [field, names[index] ?? null]));
};

describe("tables of locations", () => {
  it("columns are guessed by the names that people give them, in several languages (console.import)", () => {
    assert.deepStrictEqual(guessed("Store", "Lat", "Lng", "Straal", "Store ID", "Groep"), {
      name: "Store",
      latitude: "Lat",
      longitude: "Lng",
      radius: "Straal",
      external_id: "Store ID",
      group: "Groep",
    });
    assert.deepInclude(guessed("Filialname", "Breitengrad", "Längengrad (WGS84)", "Umkreis in m"), {
      name: "Filialname",
      latitude: "Breitengrad",
      longitude: "Längengrad (WGS84)",
      radius: "Umkreis in m",
    });
    assert.deepInclude(guessed("nom", "Coordinates"), { latitude: "Coordinates", longitude: "Coordinates" });
    assert.deepInclude(guessed("Telephone", "Wat"), { name: null, latitude: null, longitude: null });
  });

  it("a table without names, positions or radii is not complete (console.import)", () => {
    const mapping = { name: 0, latitude: 1, longitude: 2, radius: -1, external_id: -1, group: -1 };
    assert.isFalse(isComplete({ ...mapping, defaultRadius: " " }));
    assert.isTrue(isComplete({ ...mapping, defaultRadius: "100" }));
    assert.isFalse(isComplete({ ...mapping, defaultRadius: "100", longitude: -1 }));
  });

  it("rows of a CSV have the numbers of a spreadsheet, also after empty lines (console.import)", async () => {
    const { delimiter, head, rows } = await read("a.csv", '\n"Na""me", x\r\n"a\nb",1\n\n c"d ,\n');
    assert.deepStrictEqual([delimiter, head.number, head.cells], [",", 2, ['Na"me', " x"]]);
    assert.deepStrictEqual(rows, [
      { number: 3, cells: ["a\nb", "1"] },
      { number: 5, cells: [' c"d ', ""] },
    ]);
    const unclosed = await read("a.csv", 'name,x\n"open,1\n').catch(String);
    assert.include(JSON.stringify(unclosed), "that opens in row 2 is never closed.");
  });

  it("a text is read as UTF-8, UTF-16 or the Latin letters of Windows (console.import)", async () => {
    const text = "Café €;1";
    const utf16 = Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(text, "utf16le")]);
    const windows = Buffer.concat([
      Buffer.from("Caf\u00e9 ", "latin1"),
      Buffer.from([0x80]),
      Buffer.from(";1"),
    ]);
    for (const bytes of [Buffer.from(`\ufeff${text}`), utf16, windows])
      assert.deepStrictEqual((await read("a.csv", bytes)).head.cells, ["Café €", "1"]);
  });

  it("a workbook gives its first sheet with its empty cells and rows (console.import)", async () => {
    const { head, rows } = await read(
      "a.xlsx",
      testWorkbook([[], ["Name", "", "Lat"], [], ["A & <B>", 4.5, ""]]),
    );
    assert.deepStrictEqual(head, { number: 2, cells: ["Name", "", "Lat"] });
    assert.deepStrictEqual(rows, [{ number: 4, cells: ["A & <B>", "4.5"] }]);
    const damaged = await read("a.xlsx", "PK\u0003\u0004 nonsense").catch(String);
    assert.include(JSON.stringify(damaged), "The workbook is damaged");
  });

  it("one column may have a whole position, with decimal commas (console.import)", async () => {
    const table = await read("a.csv", "naam;positie;straal\nDam;52,37; 4,89\n");
    const mapping = { ...guessMapping(table), latitude: 1, longitude: 1 };
    const [entry] = tableEntries(
      await read("b.csv", 'name;position;radius\nDam;"52,37; 4,89";75,5\n'),
      mapping,
    );
    assert.deepInclude(entry, { number: 2 });
    assert.deepNestedInclude(entry, {
      "feature.geometry.coordinates": [4.89, 52.37],
      "feature.properties.radius": 75.5,
    });
  });
});
