import { assert, describe, it } from "@effect/vitest";
import type { ImportEntry } from "../../../src/client/location-files/ImportEntry.ts";
import { type FileHead, partsOf, readLocationFile } from "../../../src/client/location-files/LocationFile.ts";
import { featuresOf, partResult } from "../../../src/client/location-files/PartResult.ts";
import { assertBroken, features, readFile } from "./FileInPieces.ts";

const head = "name,latitude,longitude,radius";
const circle = (name: string, longitude: unknown, latitude: unknown, radius: unknown = 100) => ({
  type: "Feature",
  geometry: { type: "Point", coordinates: [longitude, latitude] },
  properties: { name, radius, external_id: null, group: null },
});
const collection = (...list: ReadonlyArray<unknown>) =>
  JSON.stringify({ type: "FeatureCollection", features: list });

/** Reads a file in pieces of one byte, of some, and at once, and asserts that the entries are the same. */
const readEach = async (name: string, text: string | Buffer): Promise<ReadonlyArray<unknown>> => {
  const [whole, ...others] = await Promise.all(
    [[], [1, 1, 1, 2], Array.from({ length: 40 }, () => 7)].map((lengths) => readFile(name, text, lengths)),
  );
  for (const other of others) assert.deepStrictEqual(other, whole);
  return features(whole ?? []);
};

describe("files of locations as people have them", () => {
  it("a byte order mark is no part of a file in any format", async () => {
    const mark = "\uFEFF";
    const feature = { type: "Feature", geometry: null, properties: null };
    const text = JSON.stringify(feature);
    assert.deepStrictEqual(await readEach("a.csv", `${mark}${head}\r\nDam,52,4,100`), [circle("Dam", 4, 52)]);
    assert.deepStrictEqual(await readEach("a.geojson", mark + collection(feature)), [feature]);
    assert.deepStrictEqual(await readEach("a.json", mark + text), [feature]);
    assert.deepStrictEqual(await readEach("a.geojsonseq", `${mark}\u001E${text}\n`), [feature]);
    assert.deepStrictEqual(await readEach("export", `${mark}\u001E${text}\n`), [feature]);
  });

  it("the format is that of the extension, or is recognized by the content", async () => {
    const heads: Array<FileHead> = [];
    const read = async (name: string, text: string) => {
      const pieces = ReadableStream.from([Buffer.from(text)]);
      const onHead = (found: FileHead) => void heads.push(found);
      for await (const _ of readLocationFile(pieces, { name, onHead }));
      return heads.at(-1);
    };
    const fields = head.split(",");
    assert.deepStrictEqual(await read("A.B.CSV", head), { format: "csv", csv: { fields, delimiter: "," } });
    assert.strictEqual((await read("stores.txt", head))?.format, "csv");
    assert.strictEqual((await read("stores", '{"type":"Feature"}\n{"type":"Feature"}'))?.format, "ndjson");
    assert.strictEqual((await read("folder.csv/stores", '{"type":\n"Feature"}'))?.format, "geojson");
    assert.strictEqual((await read("stores.geojsons", ""))?.format, "ndjson");
    await assertBroken(
      readFile("stores.xlsx", "PK\u0003\u0004..."),
      /stores.xlsx is a workbook.*CSV \(UTF-8\)/,
    );
  });

  it("a file in another encoding is refused, with what is right", async () => {
    const utf16 = (text: string) => Buffer.from(`\uFEFF${text}`, "utf16le");
    for (const [name, text] of [
      ["a.csv", head],
      ["a.geojson", collection()],
      ["a.ndjson", "{}"],
    ] as const) {
      await assertBroken(readFile(name, utf16(text)), /is UTF-16: save it as UTF-8/);
      await assertBroken(readFile(name, utf16(text).swap16()), /is UTF-16: save it as UTF-8/);
    }
    const latin = Buffer.from(`${head}\nCaf\u00e9,52,4,100`, "latin1");
    await assertBroken(readFile("a.csv", latin), /not UTF-8: save it as UTF-8/);
    // A character that the end of the file cuts off.
    await assertBroken(readFile("a.csv", Buffer.from(`${head}\ncaf\u00e9`).subarray(0, -1)), /not UTF-8/);
  });

  it("a CSV may have quotes, delimiters and line ends in fields, blank rows and any line ends", async () => {
    const rows = [
      head.replaceAll(",", ";"),
      "",
      '"Shop; ""North""\r\nfloor 2";52,4;4,9;150',
      '27" Store;52.4;4.9;150',
      ";;;",
    ];
    for (const lineEnd of ["\n", "\r\n", "\r"])
      assert.deepStrictEqual(await readEach("a.csv", rows.join(lineEnd) + lineEnd), [
        circle('Shop; "North"\r\nfloor 2', 4.9, 52.4, 150),
        circle('27" Store', 4.9, 52.4, 150),
        { ...circle("", null, null, null), properties: { ...circle("", 0, 0, null).properties, name: null } },
      ]);
  });

  it("a file that is longer than its opening has every entry once, wherever it is split", async () => {
    const names = Array.from({ length: 3_000 }, (_, index) => `Caf\u00e9 "${index}"`);
    const circles = names.map((name) => circle(name, 4.9, 52.4));
    const rows = names.map((name) => `"${name.replaceAll('"', '""')}",52.4,4.9,100`);
    const files = {
      "a.csv": [head, ...rows].join("\n"),
      "a.ndjson": circles.map((each) => JSON.stringify(each)).join("\n"),
      "a.geojson": collection(...circles),
    };
    for (const [name, text] of Object.entries(files)) {
      const lengths = Array.from({ length: 80 }, (_, index) => 997 + index);
      assert.deepStrictEqual(features(await readFile(name, text, lengths)), circles);
    }
  });

  it("a CSV of another delimiter or without a column is refused, with what is missing", async () => {
    await assertBroken(readFile("a.csv", head.replaceAll(",", "|")), /lacks "name", "latitude", "longitude"/);
    await assertBroken(readFile("a.csv", "\n\n"), /The CSV is empty/);
    await assertBroken(readFile("a.csv", "name,lat,lon\n"), /lacks "radius": its first row must name/);
    const tabs = `${head.replaceAll(",", "\t")}\nDam\t52\t4\t100`;
    assert.deepStrictEqual(await readEach("a.tsv", tabs), [circle("Dam", 4, 52)]);
  });

  it("wrong numbers and swapped coordinates are sent as they are, for the server to refuse", async () => {
    const rows = ["Swapped,4.9,152.4,100", "Text,n/a,1e999,0x10", "Unit,52 N,4\u00b0,100 m", "More,1,2,3,4"];
    assert.deepStrictEqual(await readEach("a.csv", [head, ...rows].join("\n")), [
      circle("Swapped", 152.4, 4.9),
      circle("Text", Number.POSITIVE_INFINITY, "n/a", "0x10"),
      circle("Unit", "4\u00b0", "52 N", "100 m"),
      ["The row must have 4 fields, like the first row; it has 5."],
    ]);
    const swapped = circle("A", 52.4, 184.9);
    assert.deepStrictEqual(await readEach("a.geojson", collection(swapped, null, "x")), [swapped, null, "x"]);
  });

  it("truncated JSON is refused as a whole in a collection, and alone in a file of lines", async () => {
    const text = collection(circle("A", 4, 52), circle("B", 4, 52));
    for (let length = 0; length < text.length; length += 13)
      await assertBroken(readFile("a.geojson", text.slice(0, length)), /truncated|not JSON|not a GeoJSON/);
    const line = JSON.stringify(circle("A", 4, 52));
    assert.deepStrictEqual(
      await readEach("a.ndjson", `\n\r\n  \n${line}\r\n\n${line}\n${line.slice(0, 30)}`),
      [circle("A", 4, 52), circle("A", 4, 52), ["The line must be one GeoJSON feature; it is not JSON."]],
    );
    assert.deepStrictEqual(await readEach("a.ndjson", ""), []);
  });

  it("an endless line or row is refused before it fills the memory", async () => {
    /** Of 25 MiB, which is more than any reader keeps. */
    const endless = async function* (start: string, letter: string) {
      yield Buffer.from(start);
      for (let piece = 0; piece < 100; piece++) yield Buffer.alloc(262_144, letter);
    };
    const read = async (name: string, start: string) => {
      for await (const _ of readLocationFile(endless(start, "y"), { name }));
    };
    await assertBroken(read("a.ndjson", '1\n"'), /Line 2 is larger than 16 MiB/);
    await assertBroken(read("a.geojson", '{"type":"FeatureCollection","features":["'), /Feature 0.*16 MiB/);
    await assertBroken(read("a.csv", `${head}\nA,1,2,3\nB,`), /Row 3 is longer than 1 MiB/);
    await assertBroken(read("a.csv", `${head}\nA,1,2,3\n"B,`), /Row 3 is longer than 1 MiB.*quote/);
    await assertBroken(read("a.csv", ""), /Row 1 is longer than 1 MiB/);
  });
});

describe("parts of a file of locations", () => {
  const entry = (feature: number, size: number): ImportEntry => ({
    _tag: "Feature",
    feature,
    size,
    row: null,
  });
  const unreadable: ImportEntry = { _tag: "Unreadable", text: "x", reasons: ["It is no row."], row: null };

  it("a part ends before it has too many entries or bytes; a larger entry is sent alone", async () => {
    const batches = ReadableStream.from([
      [entry(1, 60), entry(2, 60)],
      [entry(3, 500), entry(4, 1), unreadable, entry(5, 1), entry(6, 1)],
    ]);
    const parts: Array<ReadonlyArray<unknown>> = [];
    for await (const part of partsOf(batches, { features: 3, bytes: 100 })) parts.push(features(part));
    assert.deepStrictEqual(parts, [[1], [2], [3], [4, ["It is no row."], 5], [6]]);
  });

  it("a part's result has the server's reasons and those of entries that were not sent, in order", () => {
    const part = [unreadable, entry(1, 1), unreadable, entry(2, 1)];
    assert.deepStrictEqual(featuresOf(part), [1, 2]);
    const summary = { created: 1, updated: 0, skipped: 0, failed: 1 };
    const report = {
      summary,
      results: [
        { name: "Dam", reasons: null },
        { name: null, reasons: ["A feature needs a name."] },
      ],
    };
    const { counts, results } = partResult(part, report);
    assert.deepStrictEqual(counts, { ...summary, failed: 3 });
    assert.deepStrictEqual(
      results.map(({ name, reasons }) => [name, ...reasons]),
      [[null, "It is no row."], ["Dam"], [null, "It is no row."], [null, "A feature needs a name."]],
    );
    assert.strictEqual(partResult([unreadable], null).counts.failed, 1);
  });
});
