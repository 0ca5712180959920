import { assert, describe, it } from "@effect/vitest";
import fc from "fast-check";
import { collectionReader } from "../../../src/cli/location-import/GeoJsonReader.ts";
import { csvReader } from "../../../src/cli/location-import/CsvReader.ts";
import { linesReader } from "../../../src/cli/location-import/GeoJsonLinesReader.ts";
import {
  type ImportEntry,
  type EntryReader,
  ImportFileBroken,
} from "../../../src/cli/location-import/ImportEntry.ts";

/** What a reader makes of a text that arrives in pieces of these lengths. */
const read = (reader: EntryReader, text: string | Buffer, lengths: ReadonlyArray<number> = []) => {
  const bytes = Buffer.from(text);
  const entries: Array<ImportEntry> = [];
  let from = 0;
  for (const length of [...lengths, bytes.length]) {
    entries.push(...reader.push(bytes.subarray(from, from + length)));
    from += length;
  }
  return [...entries, ...reader.end()];
};

const features = (entries: ReadonlyArray<ImportEntry>) =>
  entries.map((entry) => (entry._tag === "Feature" ? entry.feature : entry.reasons));

const csv = () => csvReader(() => undefined);

const anything = fc.jsonValue({ maxDepth: 4 });
const lengths = fc.array(fc.integer({ min: 0, max: 30 }), { maxLength: 60 });

const refusesFile = (reader: () => EntryReader, text: string | Buffer, message: RegExp) => {
  try {
    read(reader(), text);
  } catch (error) {
    assert.instanceOf(error, ImportFileBroken);
    assert.match((error as Error).message, message);
    return;
  }
  assert.fail(`${text.toString().slice(0, 100)} was taken`);
};

describe("a file of places", () => {
  it("that is a collection gives every feature as it is, wherever its pieces are cut", () => {
    fc.assert(
      fc.property(
        fc.array(anything, { maxLength: 8 }),
        fc.dictionary(fc.string(), anything, { maxKeys: 3 }),
        lengths,
        fc.constantFrom(undefined, 1, "\t"),
        fc.boolean(),
        (list, more, cuts, indent, isFirst) => {
          delete more["features"];
          const rest = { ...more, type: "FeatureCollection" };
          const whole = isFirst ? { features: list, ...rest } : { ...rest, features: list };
          const found = read(collectionReader(), JSON.stringify(whole, null, indent), cuts);
          assert.deepStrictEqual(features(found), JSON.parse(JSON.stringify(list)));
        },
      ),
      { seed: 28, numRuns: 500 },
    );
  });

  it("that is one feature a line gives every line, and refuses one that is no JSON alone", () => {
    fc.assert(
      fc.property(fc.array(anything, { minLength: 1, maxLength: 8 }), lengths, (list, cuts) => {
        const text = list.map((each) => JSON.stringify(each)).join("\r\n");
        assert.deepStrictEqual(features(read(linesReader(), text, cuts)), JSON.parse(JSON.stringify(list)));
      }),
      { seed: 28, numRuns: 300 },
    );
    const mixed = read(linesReader(), '\u001E{"a": 1}\n\n{"a": \n\u001E{"a": 2}');
    assert.deepStrictEqual(features(mixed), [
      { a: 1 },
      ["The line must be one GeoJSON feature; this is no JSON."],
      { a: 2 },
    ]);
    assert.deepStrictEqual(features(read(linesReader(), Buffer.from([0xff, 10, 0x31]))), [
      ["The line is not UTF-8."],
      1,
    ]);
  });

  it("that is a CSV gives every row as a circle, whatever its delimiter, quotes and line ends", () => {
    const field = fc.string({ unit: "grapheme", maxLength: 12 });
    fc.assert(
      fc.property(
        fc.array(field, { minLength: 1, maxLength: 6 }),
        fc.constantFrom(",", ";", "\t"),
        fc.constantFrom("\n", "\r\n", "\r"),
        lengths,
        (names, delimiter, end, cuts) => {
          const rows = names.map((name) =>
            [`"${name.replaceAll('"', '""')}"`, "52.37", "4.9", "100"].join(delimiter),
          );
          const text = [["Name", "Lat", "Longitude", "radius"].join(delimiter), ...rows].join(end);
          assert.deepStrictEqual(
            features(read(csv(), text, cuts)),
            names.map((name) => ({
              type: "Feature",
              geometry: { type: "Point", coordinates: [4.9, 52.37] },
              properties: { name: name.trim() || null, radius: 100, external_id: null, group: null },
            })),
          );
        },
      ),
      { seed: 28, numRuns: 300 },
    );
    const [odd] = features(read(csv(), "name,latitude,longitude,radius\nA,1,2\n"));
    assert.deepStrictEqual(odd, ["The row must have 4 fields, as the first one has; this one has 3."]);
    const [comma] = features(read(csv(), "name;latitude;longitude;radius\nA;1.052,37;;100\n"));
    assert.deepInclude(comma, { geometry: { type: "Point", coordinates: [null, "1.052,37"] } });
  });

  it("that is broken is refused as a whole, with where and what would be right", () => {
    const point = '{"type":"Feature"}';
    refusesFile(
      collectionReader,
      `{"type":"FeatureCollection","features":[${point},${point.slice(0, 9)}`,
      /breaks off after 1/,
    );
    refusesFile(collectionReader, `{"type":"FeatureCollection","features":[${point}]`, /no JSON/);
    refusesFile(collectionReader, `{"type":"FeatureCollection","features":[${point},]}`, /comma too many/);
    refusesFile(collectionReader, `{"type":"FeatureCollection","features":[,${point}]}`, /comma too many/);
    refusesFile(
      collectionReader,
      `{"type":"FeatureCollection","features":[${point} ${point}]}`,
      /no JSON in feature 0/,
    );
    refusesFile(collectionReader, `{"type":"FeatureCollection","features":[],"features":[]}`, /two lists/);
    refusesFile(collectionReader, `{"type":"Topology","features":[]}`, /no GeoJSON FeatureCollection/);
    refusesFile(collectionReader, `{"type":"FeatureCollection"}`, /a list "features"/);
    refusesFile(collectionReader, `[${point}]`, /no GeoJSON FeatureCollection/);
    refusesFile(collectionReader, "", /no JSON/);
    refusesFile(collectionReader, "PK\u0003\u0004", /no JSON/);
    refusesFile(collectionReader, `{"x":"${"y".repeat(1_100_000)}`, /first MiB/);
    const latin = Buffer.from(`{"type":"FeatureCollection","features":["\u00e9"]}`, "latin1");
    refusesFile(collectionReader, latin, /not UTF-8 in feature 0/);
    refusesFile(csv, "", /empty/);
    refusesFile(csv, "name,lat\nA,1\n", /lacks "longitude", "radius"/);
    refusesFile(csv, 'name,lat,lng,radius\n"A,1,2,100\n', /never closed/);
    refusesFile(csv, Buffer.from("name,lat,lng,radius\n\u00e9,1,2,100\n", "latin1"), /not UTF-8/);
  });

  it("that is one feature over many lines is one feature, its text as it is", () => {
    const feature = { type: "Feature", geometry: null, properties: { name: "Café 東京" } };
    assert.deepStrictEqual(features(read(collectionReader(), JSON.stringify(feature, null, 2), [3, 40])), [
      feature,
    ]);
  });

  it("that is a CSV with semicolons may have decimal commas, and one with commas may not", () => {
    const place = (longitude: unknown, latitude: unknown, radius: unknown) => ({
      type: "Feature",
      geometry: { type: "Point", coordinates: [longitude, latitude] },
      properties: { name: "A", radius, external_id: null, group: null },
    });
    const head = "name;latitude;longitude;radius\n";
    assert.deepStrictEqual(features(read(csv(), `${head}A;52,37;-4,9;100,5\n`)), [place(-4.9, 52.37, 100.5)]);
    assert.deepStrictEqual(features(read(csv(), `${head}A;52.37;1.234,5;100\n`)), [
      place("1.234,5", 52.37, 100),
    ]);
    const quoted = 'name,latitude,longitude,radius\nA,"52,37",4.9,100\n';
    assert.deepStrictEqual(features(read(csv(), quoted)), [place(4.9, "52,37", 100)]);
  });
});
