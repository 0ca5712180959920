import { assert, describe, it } from "@effect/vitest";
import fc from "fast-check";
import { csvReader } from "../../../src/client/location-files/CsvReader.ts";
import { delimiterOf } from "../../../src/client/location-files/FileFormat.ts";
import { geoJsonLinesReader } from "../../../src/client/location-files/GeoJsonLinesReader.ts";
import { GeoJsonReader } from "../../../src/client/location-files/GeoJsonReader.ts";
import type { EntryReader, ImportEntry } from "../../../src/client/location-files/ImportEntry.ts";
import { assertBroken, features, piecesOf } from "./FileInPieces.ts";
import { cases } from "../../FixedSeed.ts";

/** A function that reads a text in pieces of these lengths, and the rest at once. */
const reading =
  (readerOf: (text: string) => EntryReader) =>
  async (text: string | Buffer, lengths: ReadonlyArray<number> = []): Promise<ReadonlyArray<ImportEntry>> => {
    const reader = readerOf(text.toString());
    const entries: Array<ImportEntry> = [];
    for (const piece of piecesOf(Buffer.from(text), lengths)) entries.push(...reader.push(piece));
    return [...entries, ...reader.end()];
  };

const readGeoJson = reading(() => new GeoJsonReader());
const readGeoJsonLines = reading(geoJsonLinesReader);
const readCsv = reading((text) => csvReader(delimiterOf(text), () => undefined));

const anyJson = fc.jsonValue({ maxDepth: 4 });
const anyLengths = fc.array(fc.integer({ min: 0, max: 30 }), { maxLength: 60 });

describe("GeoJSON files", () => {
  it("a collection yields every feature unchanged, wherever its pieces are split", () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(anyJson, { maxLength: 8 }),
        fc.dictionary(fc.string(), anyJson, { maxKeys: 3 }),
        anyLengths,
        fc.constantFrom(undefined, 1, "\t"),
        fc.boolean(),
        async (list, more, lengths, indent, isFirst) => {
          delete more["features"];
          const rest = { ...more, type: "FeatureCollection" };
          const collection = isFirst ? { features: list, ...rest } : { ...rest, features: list };
          const entries = await readGeoJson(JSON.stringify(collection, null, indent), lengths);
          assert.deepStrictEqual(features(entries), JSON.parse(JSON.stringify(list)));
        },
      ),
      { seed: 28, numRuns: cases(500) },
    ));

  it("a file of lines yields every line, and refuses a line that is not JSON alone", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(anyJson, { minLength: 1, maxLength: 8 }),
        anyLengths,
        async (list, lengths) => {
          const text = list.map((each) => JSON.stringify(each)).join("\r\n");
          const entries = await readGeoJsonLines(text, lengths);
          assert.deepStrictEqual(features(entries), JSON.parse(JSON.stringify(list)));
        },
      ),
      { seed: 28, numRuns: cases(300) },
    );
    const mixed = await readGeoJsonLines('\u001E{"a": 1}\n\n{"a": \n\u001E{"a": 2}');
    assert.deepStrictEqual(features(mixed), [
      { a: 1 },
      ["The line must be one GeoJSON feature; it is not JSON."],
      { a: 2 },
    ]);
    assert.deepStrictEqual(features(await readGeoJsonLines(Buffer.from([0xff, 10, 0x31]))), [
      ["The line is not UTF-8."],
      1,
    ]);
  });

  it("a broken collection is refused as a whole, with where it is broken and what is right", async () => {
    const point = '{"type":"Feature"}';
    const refuses = (text: string | Buffer, message: RegExp) => assertBroken(readGeoJson(text), message);
    const collection = (list: string) => `{"type":"FeatureCollection","features":[${list}]}`;
    await refuses(collection(`${point},${point.slice(0, 9)}`).slice(0, -2), /truncated after 1/);
    await refuses(collection(point).slice(0, -1), /not JSON/);
    await refuses(collection(`${point},`), /extra comma/);
    await refuses(collection(`,${point}`), /extra comma/);
    await refuses(collection(`${point} ${point}`), /not JSON in feature 0/);
    await refuses(`{"type":"FeatureCollection","features":[],"features":[]}`, /two lists/);
    await refuses(`{"type":"Topology","features":[]}`, /not a GeoJSON FeatureCollection/);
    await refuses(`{"type":"FeatureCollection"}`, /a list "features"/);
    await refuses(`[${point}]`, /not a GeoJSON FeatureCollection/);
    await refuses("", /not JSON/);
    await refuses("PK\u0003\u0004", /not JSON/);
    await refuses(`{"x":"${"y".repeat(1_100_000)}`, /first MiB/);
    await refuses(Buffer.from(collection('"\u00e9"'), "latin1"), /not UTF-8 in feature 0/);
    await refuses(collection(`"${"y".repeat(17 * 1_048_576)}"`), /Feature 0 .* is larger than 16 MiB/);
  });

  it("a collection or a feature in another coordinate system is refused as a whole (G7.1)", async () => {
    const crs = '"crs":{"type":"name","properties":{"name":"EPSG:28992"}}';
    for (const text of [
      `{${crs},"type":"FeatureCollection","features":[{"type":"Feature"}]}`,
      `{"type":"FeatureCollection","features":[{"type":"Feature"}],${crs}}`,
      `{"type":"Feature",${crs}}`,
    ])
      await assertBroken(readGeoJson(text), /"EPSG:28992"/);
    const wgs84 = `{"type":"FeatureCollection","features":[1],${crs.replace("28992", "4326")}}`;
    assert.lengthOf(await readGeoJson(wgs84), 1);
  });

  it("a feature of more than 64 levels is refused alone (B3.8)", async () => {
    const deep = "[".repeat(100) + "]".repeat(100);
    const entries = await readGeoJson(`{"type":"FeatureCollection","features":[1,${deep},2]}`);
    assert.deepStrictEqual(features(entries).map(String), [
      "1",
      entries[1]?._tag === "Unreadable" ? String(entries[1].reasons) : "",
      "2",
    ]);
    assert.match(String(features(entries)[1]), /64 levels/);
    const lines = await readGeoJsonLines(`1\n${deep}\n2`);
    assert.match(String(features(lines)[1]), /64 levels/);
  });

  it("a single feature over many lines is one entry, with its text unchanged", async () => {
    const feature = { type: "Feature", geometry: null, properties: { name: "Café 東京" } };
    const entries = await readGeoJson(JSON.stringify(feature, null, 2), [3, 40]);
    assert.deepStrictEqual(features(entries), [feature]);
  });
});

describe("CSV files", () => {
  it("a CSV yields every row as a circle, whatever its delimiter, quotes and line ends", async () => {
    const anyField = fc.string({ unit: "grapheme", maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(
        fc.array(anyField, { minLength: 1, maxLength: 6 }),
        fc.constantFrom(",", ";", "\t"),
        fc.constantFrom("\n", "\r\n", "\r"),
        anyLengths,
        async (names, delimiter, lineEnd, lengths) => {
          const rows = names.map((name) =>
            [`"${name.replaceAll('"', '""')}"`, "52.37", "4.9", "100"].join(delimiter),
          );
          const text = [["Name", "Lat", "Longitude", "radius"].join(delimiter), ...rows].join(lineEnd);
          assert.deepStrictEqual(
            features(await readCsv(text, lengths)),
            names.map((name) => ({
              type: "Feature",
              geometry: { type: "Point", coordinates: [4.9, 52.37] },
              properties: { name: name.trim() || null, radius: 100, external_id: null, group: null },
            })),
          );
        },
      ),
      { seed: 28, numRuns: cases(300) },
    );
    const [short] = features(await readCsv("name,latitude,longitude,radius\nA,1,2\n"));
    assert.deepStrictEqual(short, ["The row must have 4 fields, like the first row; it has 3."]);
    const [noNumber] = features(await readCsv("name;latitude;longitude;radius\nA;1.052,37;;100\n"));
    assert.deepInclude(noNumber, { geometry: { type: "Point", coordinates: [null, "1.052,37"] } });
  });

  it("a broken CSV is refused as a whole, with the row and what is right", async () => {
    const refuses = (text: string | Buffer, message: RegExp) => assertBroken(readCsv(text), message);
    const head = "name,lat,lng,radius\n";
    await refuses("", /empty/);
    await refuses("name,lat\nA,1\n", /lacks "longitude", "radius"/);
    await refuses(`${head}A,1,2,100\n"B,1,2,100\n`, /quote .* in row 3 is never closed/);
    await refuses(`${head}A,1,2,100\n"${"B,1,2,100\n".repeat(200_000)}`, /Row 3 is longer than 1 MiB/);
    await refuses(Buffer.from(`${head}\u00e9,1,2,100\n`, "latin1"), /not UTF-8/);
  });

  it("numbers may have decimal commas in a CSV with semicolons, but not in one with commas", async () => {
    const location = (longitude: unknown, latitude: unknown, radius: unknown) => ({
      type: "Feature",
      geometry: { type: "Point", coordinates: [longitude, latitude] },
      properties: { name: "A", radius, external_id: null, group: null },
    });
    const head = "name;latitude;longitude;radius\n";
    const first = async (text: string) => features(await readCsv(text))[0];
    assert.deepStrictEqual(await first(`${head}A;52,37;-4,9;100,5\n`), location(-4.9, 52.37, 100.5));
    assert.deepStrictEqual(await first(`${head}A;52.37;1.234,5;100\n`), location("1.234,5", 52.37, 100));
    const quoted = 'name,latitude,longitude,radius\nA,"52,37",4.9,100\n';
    assert.deepStrictEqual(await first(quoted), location(4.9, "52,37", 100));
  });
});
