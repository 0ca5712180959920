import { assert, describe, it } from "@effect/vitest";
import { booleanClockwise } from "@turf/boolean-clockwise";
import { Schema } from "effect";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { feature } from "topojson-client";
import { readFeature } from "../../src/locations/GeoJsonImport.ts";
import type { Ring } from "../../src/locations/Location.ts";

const isClockwise = (ring: Ring): boolean => booleanClockwise(ring.map(([x, y]) => [x, y]));

const require = createRequire(import.meta.url);

const Collection = Schema.Struct({ features: Schema.Array(Schema.Unknown) });
const Atlas = Schema.Struct({ objects: Schema.Record(Schema.String, Schema.Unknown) });

const featuresOf = (atlas: unknown, object: string): ReadonlyArray<unknown> => {
  const { objects } = Schema.decodeUnknownSync(Atlas)(atlas);
  return Schema.decodeUnknownSync(Collection)(feature(atlas, objects[object])).features;
};

/** How many features are accepted, and how often each kind of reason occurs. */
const tally = (features: ReadonlyArray<unknown>): Record<string, number> => {
  const counts: Record<string, number> = {};
  const kinds = ["MultiPolygon", "lie on each other", "crosses itself", "has no area"];
  for (const sent of features) {
    const read = readFeature(sent);
    const found =
      read._tag === "ParsedFeature"
        ? ["accepted"]
        : read.reasons.map((r) => kinds.find((k) => r.includes(k)) ?? r);
    for (const kind of found) counts[kind] = (counts[kind] ?? 0) + 1;
  }
  return counts;
};

describe("real maps", () => {
  it("all counties of the United States with a clear inside are accepted (G3.10)", () => {
    assert.deepStrictEqual(tally(featuresOf(require("us-atlas/counties-10m.json"), "counties")), {
      accepted: 3108,
      MultiPolygon: 99,
      "lie on each other": 17,
      "crosses itself": 3,
      "has no area": 4,
    });
  });

  it("all countries of the world with a clear inside are accepted", () => {
    assert.deepStrictEqual(tally(featuresOf(require("world-atlas/countries-110m.json"), "countries")), {
      accepted: 147,
      MultiPolygon: 29,
      "crosses itself": 1,
    });
  });

  it("counties are wound by RFC 7946 after reading, though TopoJSON winds the other way", () => {
    for (const sent of featuresOf(require("us-atlas/counties-10m.json"), "counties")) {
      const read = readFeature(sent);
      if (read._tag === "RejectedFeature" || read.shape.type === "circle") continue;
      const [shell, ...holes] = read.shape.geometry.coordinates;
      assert.isFalse(shell === undefined || isClockwise(shell), read.name);
      assert.isTrue(holes.every(isClockwise), read.name);
    }
  });
});

describe("the example file in docs/examples", () => {
  it("the example file has over 500 valid features, each with its own external id", () => {
    const text = readFileSync(new URL("../../docs/examples/locations.geojson", import.meta.url), "utf8");
    const { features } = Schema.decodeUnknownSync(Collection)(JSON.parse(text));
    const parsed = features.map(readFeature).filter((read) => read._tag === "ParsedFeature");
    assert.isAtLeast(parsed.length, 500);
    assert.strictEqual(parsed.length, features.length);
    assert.strictEqual(new Set(parsed.map((read) => read.externalId)).size, parsed.length);
  });
});
