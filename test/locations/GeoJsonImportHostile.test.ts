import { assert, describe, it } from "@effect/vitest";
import fc from "fast-check";
import { readFeature } from "../../src/locations/GeoJsonImport.ts";
import { box, pointFeature, polygonFeature } from "./Features.ts";
import { cases } from "../FixedSeed.ts";

const runs = { numRuns: cases(2000), seed: 20261121 };

/** The result of reading a feature can be stored and sent. */
const assertReadable = (feature: unknown): void => {
  const read = readFeature(feature);
  const texts =
    read._tag === "RejectedFeature"
      ? [read.name ?? "", ...read.reasons]
      : [read.name, read.externalId ?? "", read.group ?? ""];
  for (const text of texts) assert.isTrue(text.isWellFormed() && !text.includes("\0"), text);
  if (read._tag === "RejectedFeature") {
    assert.isAtLeast(read.reasons.length, 1);
    for (const reason of read.reasons) assert.match(reason, /^[A-Z].*\.$/su);
  }
};

const hostile = fc.oneof(
  fc.jsonValue(),
  fc.string({ unit: "binary" }),
  fc.constantFrom<unknown>(
    Infinity,
    -Infinity,
    1e308,
    5e-324,
    -0,
    "\0",
    "\ud800",
    "x".repeat(5000),
    [[]],
    [[[]]],
  ),
  fc.array(fc.array(fc.double({ noNaN: true }), { maxLength: 3 }), { maxLength: 8 }),
);

/** A valid feature with one or two of its parts replaced. */
const damaged = fc
  .tuple(
    fc.constantFrom(
      pointFeature({ external_id: "a", group: "b" }),
      polygonFeature(box(0, 0, 9, 9), box(1, 1, 2, 2)),
    ),
    fc.array(fc.tuple(fc.array(fc.nat(5), { minLength: 1, maxLength: 5 }), hostile), {
      minLength: 1,
      maxLength: 2,
    }),
  )
  .map(([feature, changes]) =>
    changes.reduce((changed, [path, value]) => replaced(changed, path, value), feature as unknown),
  );

const replaced = (node: unknown, [step, ...path]: ReadonlyArray<number>, value: unknown): unknown => {
  if (step === undefined || typeof node !== "object" || node === null) return value;
  const keys = Object.keys(node);
  const at = keys[step % Math.max(keys.length, 1)];
  const part = (key: string, old: unknown): unknown => (key === at ? replaced(old, path, value) : old);
  return Array.isArray(node)
    ? node.map((old: unknown, key) => part(String(key), old))
    : Object.fromEntries(Object.entries(node).map(([key, old]) => [key, part(key, old)]));
};

const nested = (depth: number): unknown => {
  let value: unknown = [];
  for (let i = 0; i < depth; i++) value = [value];
  return value;
};

describe("readFeature", () => {
  it("readFeature reads any JSON value without throwing", () => {
    fc.assert(fc.property(hostile, assertReadable), runs);
    fc.assert(fc.property(damaged, assertReadable), runs);
  });

  it("readFeature reads polygons of extreme numbers without throwing", () => {
    const extreme = fc.oneof(
      fc.double({ min: -180, max: 180, noNaN: true }),
      fc.double({ min: -1e-300, max: 1e-300, noNaN: true }),
      fc.constantFrom(0, -0, 5e-324, 90, -90, 1e-100, 1e-99),
    );
    const rings = fc.array(
      fc
        .array(fc.tuple(extreme, extreme.map((y) => y / 2)), { minLength: 3, maxLength: 8 })
        .map((ring) => [...ring, ...ring.slice(0, 1)]),
      { minLength: 1, maxLength: 3 },
    ); // prettier-ignore
    fc.assert(
      fc.property(rings, (coordinates) => assertReadable(polygonFeature(...coordinates))),
      runs,
    );
  });

  it("readFeature rejects deep nesting and long lists without throwing", () => {
    const deep = nested(100_000);
    const long = [deep, "x".repeat(2_000_000), Array.from({ length: 300_000 }, () => [])];
    const features = long.flatMap((value) => [
      value,
      ...["type", "geometry", "properties"].map((part) => ({ ...pointFeature(), [part]: value })),
      pointFeature({ name: value, external_id: value, group: value, radius: value }, value),
      polygonFeature(value),
      { ...polygonFeature(), geometry: { type: "Polygon", coordinates: value } },
      { ...polygonFeature(), geometry: { type: "MultiPolygon", coordinates: [value] } },
    ]);
    for (const feature of features) {
      assertReadable(feature);
      assert.strictEqual(readFeature(feature)._tag, "RejectedFeature");
    }
  });

  it("a polygon has at most twenty reasons, however many rings are wrong", () => {
    const coordinates = Array.from({ length: 300_000 }, () => []);
    const read = readFeature({ ...polygonFeature(), geometry: { type: "Polygon", coordinates } });
    const reasons = read._tag === "RejectedFeature" ? read.reasons : [];
    assert.strictEqual(reasons.length, 21);
    assert.strictEqual(reasons.at(-1), "Only the first 20 problems of this polygon are listed.");
  });

  it("readFeature reads no field from a prototype", () => {
    const sent = JSON.stringify(pointFeature()).replace('"name"', '"__proto__":{"name":"inherited"},"label"');
    const read = readFeature(JSON.parse(sent));
    assert.strictEqual(read.name, null);
    const disguised: unknown = JSON.parse(`{"__proto__":${JSON.stringify(pointFeature())}}`);
    assert.strictEqual(readFeature(disguised)._tag, "RejectedFeature");
    assert.isFalse("name" in {});
  });

  it("reading a polygon again gives the same polygon", () => {
    const anyRing = fc
      .array(fc.tuple(fc.nat(6), fc.nat(6)), { minLength: 3, maxLength: 6 })
      .map((ring) => [...ring, ...ring.slice(0, 1)]);
    fc.assert(
      fc.property(anyRing, (ring) => {
        const read = readFeature(polygonFeature(ring));
        fc.pre(read._tag === "ParsedFeature");
        if (read._tag !== "ParsedFeature") return;
        const again = readFeature({
          type: "Feature",
          geometry: read.shape.geometry,
          properties: { name: "Area" },
        });
        assert.deepStrictEqual(again, read);
        const back = readFeature(polygonFeature(ring.toReversed()));
        assert.strictEqual(back._tag, "ParsedFeature");
      }),
      runs,
    );
  });
});
