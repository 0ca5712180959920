import { assert, describe, it } from "@effect/vitest";
import { Schema } from "effect";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { feature } from "topojson-client";
import { readFeature } from "../../src/locations/GeoJsonImport.ts";
import { isCounterClockwise } from "./geometry/RingOracle.ts";

const require = createRequire(import.meta.url);

const Collection = Schema.Struct({ features: Schema.Array(Schema.Unknown) });
const Atlas = Schema.Struct({ objects: Schema.Record(Schema.String, Schema.Unknown) });

const featuresOf = (atlas: unknown, object: string): ReadonlyArray<unknown> => {
  const { objects } = Schema.decodeUnknownSync(Atlas)(atlas);
  return Schema.decodeUnknownSync(Collection)(feature(atlas, objects[object])).features;
};

/** How many features are taken, and how often each kind of reason is given. */
const tally = (features: ReadonlyArray<unknown>): Record<string, number> => {
  const counts: Record<string, number> = {};
  const kinds = ["MultiPolygon", "lie on each other", "crosses itself", "has no area"];
  for (const sent of features) {
    const read = readFeature(sent);
    const found =
      read._tag === "ParsedFeature"
        ? ["taken"]
        : read.reasons.map((r) => kinds.find((k) => r.includes(k)) ?? r);
    for (const kind of found) counts[kind] = (counts[kind] ?? 0) + 1;
  }
  return counts;
};

describe("real maps", () => {
  it("of all counties of the United States are taken, but for what has no clear inside (G3.10)", () => {
    assert.deepStrictEqual(tally(featuresOf(require("us-atlas/counties-10m.json"), "counties")), {
      taken: 3108,
      MultiPolygon: 99,
      "lie on each other": 17,
      "crosses itself": 3,
      "has no area": 4,
    });
  });

  it("of all countries of the world are taken, but for what has no clear inside", () => {
    assert.deepStrictEqual(tally(featuresOf(require("world-atlas/countries-110m.json"), "countries")), {
      taken: 147,
      MultiPolygon: 29,
      "crosses itself": 1,
    });
  });

  it("come out wound by RFC 7946, though TopoJSON winds the other way", () => {
    for (const sent of featuresOf(require("us-atlas/counties-10m.json"), "counties")) {
      const read = readFeature(sent);
      if (read._tag === "Refused" || read.shape.type === "circle") continue;
      const [shell, ...holes] = read.shape.geometry.coordinates;
      assert.isTrue(shell !== undefined && isCounterClockwise(shell), read.name);
      assert.isFalse(holes.some(isCounterClockwise), read.name);
    }
  });
});

describe("docs/examples/locations.geojson", () => {
  it("holds over 500 features that are all taken, each with its own external id", () => {
    const text = readFileSync(new URL("../../docs/examples/locations.geojson", import.meta.url), "utf8");
    const { features } = Schema.decodeUnknownSync(Collection)(JSON.parse(text));
    const places = features.map(readFeature).filter((read) => read._tag === "ParsedFeature");
    assert.isAtLeast(places.length, 500);
    assert.strictEqual(places.length, features.length);
    assert.strictEqual(new Set(places.map((place) => place.externalId)).size, places.length);
  });
});
