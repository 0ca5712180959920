import { assert, describe, it } from "@effect/vitest";
import { distance } from "@turf/distance";
import fc from "fast-check";
import type { GeoPosition } from "../../../src/locations/Location.ts";
import {
  boxOfCircle,
  boxOfPositions,
  EARTH_RADIUS_METERS,
} from "../../../src/locations/geometry/BoundingBox.ts";
import { angleBetween, directionOf } from "../../../src/locations/geometry/Direction.ts";
import { cases } from "../../FixedSeed.ts";

const degrees = (limit: number) =>
  fc.oneof(
    fc.double({ min: -limit, max: limit, noNaN: true }),
    fc.constantFrom(-limit, limit, 0, 1e-100, limit - 1e-12),
  );
const position: fc.Arbitrary<GeoPosition> = fc.tuple(degrees(180), degrees(90));

/** Two positions that are between a nanometre and half the earth apart. */
const pair = fc
  .tuple(position, position, fc.integer({ min: 0, max: 16 }))
  .map(([from, far, digits]): readonly [GeoPosition, GeoPosition] => {
    const share = 10 ** -digits;
    return [from, [from[0] + share * (far[0] - from[0]), from[1] + share * (far[1] - from[1])]];
  });

const turfMeters = ([x1, y1]: GeoPosition, [x2, y2]: GeoPosition): number =>
  distance([x1, y1], [x2, y2], { units: "meters" });

describe("boxOfPositions", () => {
  it("the box of positions has their smallest and largest longitude and latitude", () => {
    const repeated = fc.array(position, { minLength: 1, maxLength: 6 }).map((all) => [...all, ...all]);
    fc.assert(
      fc.property(fc.oneof(repeated, fc.array(position, { minLength: 1, maxLength: 200 })), (positions) => {
        const longitudes = positions.map(([longitude]) => longitude);
        const latitudes = positions.map(([, latitude]) => latitude);
        const [west, south, east, north] = boxOfPositions(positions);
        assert.isTrue(west === Math.min(...longitudes) && east === Math.max(...longitudes));
        assert.isTrue(south === Math.min(...latitudes) && north === Math.max(...latitudes));
      }),
      { numRuns: cases(1_000) },
    );
  });
});

describe("boxOfCircle", () => {
  it("the box of a circle at the antimeridian or a pole contains the circle", () => {
    const [west, , east] = boxOfCircle([179.999, 0], 1000);
    assert.isTrue(west > 179.98 && west < 180 && east > -180 && east < -179.99);
    const [west2, , east2] = boxOfCircle([-180, 0], 1000);
    assert.isTrue(west2 > 179.99 && east2 < -179.99);
    const [west3, , east3, north3] = boxOfCircle([10, 90], 1000);
    assert.deepStrictEqual([west3, east3, north3], [-180, 180, 90]);
    assert.deepStrictEqual(boxOfCircle([10, -89.999], 1000).slice(0, 3), [-180, -90, 180]);
  });

  it("the box of a circle contains every position within its radius", () => {
    fc.assert(
      fc.property(pair, fc.integer({ min: 50, max: 1000 }), ([centre, point], radius) => {
        fc.pre(turfMeters(centre, point) <= radius);
        const [west, south, east, north] = boxOfCircle(centre, radius);
        const [longitude, latitude] = point;
        assert.isTrue(south <= latitude && latitude <= north);
        assert.isTrue(
          west <= east ? west <= longitude && longitude <= east : longitude >= west || longitude <= east,
        );
      }),
      { numRuns: cases(500) },
    );
  });
});

describe("distances on the sphere", () => {
  it("angles between directions give Turf's distances, and half the circumference for its NaN", () => {
    fc.assert(
      fc.property(pair, fc.boolean(), ([from, to], isAntipode) => {
        const [x, y] = from;
        const end: GeoPosition = isAntipode ? [x > 0 ? x - 180 : x + 180, -y] : to;
        const meters = angleBetween(directionOf(from), directionOf(end)) * EARTH_RADIUS_METERS;
        const turf = turfMeters(from, end);
        const halfCircumference = Math.PI * EARTH_RADIUS_METERS;
        const expected = Number.isNaN(turf) ? halfCircumference : turf;
        // At the antipode, an arcsine near 1 loses half of the digits.
        const tolerance = expected > halfCircumference - 1_000 ? 0.5 : 1e-7;
        assert.approximately(meters, expected, tolerance);
      }),
      { numRuns: cases(3_000) },
    );
  });
});
