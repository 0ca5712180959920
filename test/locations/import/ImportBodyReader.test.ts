import { assert, describe, it } from "@effect/vitest";
import fc from "fast-check";
import { importedLocation } from "../../../src/locations/ImportedLocation.ts";
import type { CollectionFrame } from "../../../src/locations/import/FeatureCollectionReader.ts";
import { ImportBodyReader } from "../../../src/locations/import/ImportBodyReader.ts";
import type { ImportedFeature } from "../../../src/locations/import/ImportMessages.ts";
import { box, collection, pointFeature, polygonFeature } from "../Features.ts";
import { cases } from "../../FixedSeed.ts";

interface Read {
  readonly features: ReadonlyArray<ImportedFeature>;
  readonly frame: CollectionFrame | null;
  readonly problem: string | null;
}

/** Reads a body in pieces of a length. */
const read = (body: string | Uint8Array, length = 50): Read => {
  const bytes = typeof body === "string" ? new TextEncoder().encode(body) : body;
  const reader = new ImportBodyReader(1);
  const features: Array<ImportedFeature> = [];
  for (let from = 0; from < bytes.length; from += length) {
    const answer = reader.push(bytes.subarray(from, from + length));
    if (answer._tag === "unreadable") return { features, frame: null, problem: answer.problem };
    if (answer._tag === "read") return { features, frame: answer.frame, problem: null };
    features.push(...answer.features);
  }
  const end = reader.end();
  return end._tag === "read"
    ? { features, frame: end.frame, problem: null }
    : { features, frame: null, problem: end._tag };
};

const reasonsOf = (feature: ImportedFeature | undefined): ReadonlyArray<string> =>
  feature?._tag === "RejectedFeature" ? feature.reasons : [];

const anyFeature = fc.oneof(
  fc.jsonValue(),
  fc.constantFrom<unknown>(
    pointFeature({ external_id: 7, group: "Ünïcode 😀", more: [{ deep: [] }] }),
    polygonFeature(box(0, 0, 9, 9), box(1, 1, 2, 2)),
    { ...pointFeature(), geometry: { type: "MultiPolygon", coordinates: [[box(0, 0, 1, 1)]] } },
    { type: ["Feature"], geometry: [], properties: { name: {}, radius: [1], group: null } },
    { type: {}, geometry: { type: "Point", coordinates: { 0: 1 } }, properties: "x", id: 3 },
    { ...pointFeature(), crs: { type: "name", properties: { name: "EPSG:3857" } } },
  ),
);

describe("ImportBodyReader", () => {
  it("features are read as JSON.parse would read them, wherever pieces end (G3, B3.8)", () => {
    fc.assert(
      fc.property(
        fc.array(anyFeature, { maxLength: 6 }),
        fc.constantFrom(1, 5, 64, 4096),
        (features, length) => {
          const { features: found, frame } = read(JSON.stringify(collection(...features)), length);
          const sent = JSON.parse(JSON.stringify(features)) as ReadonlyArray<unknown>;
          assert.deepStrictEqual(found, sent.map(importedLocation));
          assert.deepStrictEqual(frame?.members, { type: "FeatureCollection", features: [] });
        },
      ),
      { numRuns: cases(300), seed: 20261121 },
    );
  });

  it("the members around the features are read in any order, and others are ignored (B4)", () => {
    const body = '{"bbox":[[1]],"features":[{}],"name":"x","\\u0074ype":"FeatureCollection","crs":{"a":[1]}}';
    assert.deepStrictEqual(read(body).frame?.members, {
      features: [],
      type: "FeatureCollection",
      crs: { a: [1] },
    });
    assert.isTrue(read('{"features":[],"features":[]}').frame?.isRepeated);
    assert.isNull(read("[{}]").frame);
    assert.deepStrictEqual(read('{"type":{"features":[1]},"features":{"a":1}}').frame?.members, {
      type: {},
      features: {},
    });
  });

  it("a body that is not UTF-8, not JSON or empty is not read (B3.5)", () => {
    const bytes = new TextEncoder().encode('{"features":["x"]}');
    bytes[14] = 0xff;
    assert.strictEqual(read(bytes).problem, "utf8");
    for (const body of ["{", '{"features":[{}],}', '{"features":[{]}', "{}{}", '{"features":[{"a":tru}]}'])
      assert.isNotNull(read(body).problem, body);
    for (const body of ["", " \n", "\ufeff"]) assert.isNotNull(read(body).problem, body);
    assert.deepStrictEqual(read(`\ufeff${JSON.stringify(collection(pointFeature()))}`).features.length, 1);
  });

  it("reading ends at the 10,001st feature (G4.2, B3.8)", () => {
    const list = Array.from({ length: 10_000 }, () => "{}").join();
    assert.isFalse(read(`{"features":[${list}]}`, 4096).frame?.hasTooMany);
    // The rest is not even JSON.
    const { features, frame } = read(`{"features":[${list},{},{}`, 4096);
    assert.isTrue(frame?.hasTooMany);
    assert.isAtMost(features.length, 10_000);
  });

  it("coordinates of more than 100,000 values are not kept, and their feature fails (G3.7, B3.8)", () => {
    const long = polygonFeature(Array.from({ length: 40_000 }, () => [1, 2]));
    const { features } = read(JSON.stringify(collection(long, pointFeature())), 4096);
    assert.deepStrictEqual(
      features.map(({ _tag, name }) => [_tag, name]),
      [
        ["RejectedFeature", "Area"],
        ["ParsedFeature", "Dam"],
      ],
    );
    assert.match(reasonsOf(features[0])[0] ?? "", /at most 10,000 positions/);
    const maximum = polygonFeature(Array.from({ length: 10_001 }, () => [1, 2, 3]));
    assert.match(
      reasonsOf(read(JSON.stringify(collection(maximum)), 4096).features[0])[0] ?? "",
      /10001 positions/,
    );
  });

  it("a feature of more than 64 levels fails alone, and other values as deep refuse the body (B3.8)", () => {
    const deep = (levels: number): string => "[".repeat(levels) + "]".repeat(levels);
    const feature = (levels: number): string =>
      `{"type":"Feature","more":${deep(levels)},${JSON.stringify(pointFeature()).slice(1)}`;
    const { features, frame } = read(
      `{"features":[${deep(100_000)},${feature(61)},${feature(62)},${feature(61)}]}`,
      4096,
    );
    assert.deepStrictEqual(
      features.map(({ _tag }) => _tag),
      ["RejectedFeature", "ParsedFeature", "RejectedFeature", "ParsedFeature"],
    );
    assert.match(reasonsOf(features[2])[0] ?? "", /64 levels/);
    assert.isFalse(frame?.isTooDeep);
    assert.isFalse(read(`{"more":${deep(63)},"features":[]}`).frame?.isTooDeep);
    for (const body of [`{"more":${deep(64)},"features":[]}`, `{"features":[],"more":${deep(64)}}`])
      assert.isTrue(read(body).frame?.isTooDeep, body);
  });
});
