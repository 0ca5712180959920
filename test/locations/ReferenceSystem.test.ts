import { assert, describe, it } from "@effect/vitest";
import { readFeature } from "../../src/locations/GeoJsonImport.ts";
import { referenceSystemProblem } from "../../src/locations/ReferenceSystem.ts";
import { pointFeature } from "./Features.ts";

const named = (name: unknown) => ({ type: "name", properties: { name } });

describe("The coordinate reference system of GeoJSON", () => {
  it("WGS 84 is accepted by each of its names, and no crs at all (G7.1)", () => {
    const names = [
      "urn:ogc:def:crs:OGC:1.3:CRS84",
      "urn:ogc:def:crs:OGC::CRS84",
      "OGC:CRS84",
      "CRS84",
      "EPSG:4326",
      "epsg:4326",
      "urn:ogc:def:crs:EPSG::4326",
      "urn:ogc:def:crs:EPSG:9.6:4979",
      "EPSG:4979",
      "http://www.opengis.net/def/crs/OGC/1.3/CRS84",
      "https://www.opengis.net/def/crs/EPSG/0/4326",
    ];
    for (const name of names) {
      assert.isNull(referenceSystemProblem(named(name)), name);
      assert.isNull(referenceSystemProblem(name), name);
    }
    assert.isNull(referenceSystemProblem(undefined));
    assert.isNull(referenceSystemProblem(null));
    assert.isNull(referenceSystemProblem({ type: "EPSG", properties: { code: 4326 } }));
  });

  it("another system, or one that cannot be recognized, is a problem that names it (G7.1)", () => {
    for (const name of ["EPSG:3857", "urn:ogc:def:crs:EPSG::28992", "EPSG:43260", "OGC:CRS83", "WGS84"])
      assert.include(referenceSystemProblem(named(name)) ?? "", name);
    const unknown = [
      {},
      [],
      7,
      named(4326),
      { type: "link", properties: { href: "EPSG:4326" } },
      { type: "EPSG", properties: { code: 3857 } },
    ];
    for (const crs of unknown) assert.match(referenceSystemProblem(crs) ?? "", /EPSG:4326 or EPSG:4979/);
  });

  it("a feature or a geometry with a system of its own fails alone (G7.2)", () => {
    const crs = named("EPSG:3857");
    const geometry = { type: "Point", coordinates: [4.9, 52.37], crs };
    for (const feature of [
      { ...pointFeature(), crs },
      { ...pointFeature(), geometry },
    ]) {
      const read = readFeature(feature);
      assert.match(read._tag === "RejectedFeature" ? (read.reasons[0] ?? "") : "", /"EPSG:3857"/);
    }
  });
});
