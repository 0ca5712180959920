import { assert, describe, it } from "@effect/vitest";
import fc from "fast-check";
import type { GeoPosition } from "../../../src/locations/Location.ts";
import type { IndexedLocation } from "../../../src/locations/geometry/IndexedLocation.ts";
import { contains } from "../../../src/locations/geometry/Containment.ts";
import { distanceTo } from "../../../src/locations/geometry/BorderDistance.ts";
import { LocationIndex } from "../../../src/locations/geometry/LocationIndex.ts";
import { box } from "../Features.ts";
import { byKey, circle, haversine, polygon, sampledDistance } from "./TestLocations.ts";
import { LocationKey } from "../../../src/wire/Ids.ts";
import { cases } from "../../FixedSeed.ts";

const longitude = fc.oneof(
  fc.double({ min: -180, max: 180, noNaN: true }),
  fc.constantFrom(-180, -179.999, 0, 179.999, 180),
);
const latitude = fc.oneof(
  fc.double({ min: -90, max: 90, noNaN: true }),
  fc.constantFrom(-90, -89.999, 0, 89.999, 90),
);
const position = fc.tuple(longitude, latitude);

/** A polygon of any size anywhere, at most 178° wide. */
const ring = fc
  .record({
    at: position,
    size: fc.constantFrom(1e-4, 0.01, 1, 20, 89),
    points: fc.array(
      fc.tuple(fc.double({ min: -1, max: 1, noNaN: true }), fc.double({ min: -1, max: 1, noNaN: true })),
      { minLength: 3, maxLength: 8 },
    ),
  })
  .map(({ at: [x, y], points, size }): ReadonlyArray<GeoPosition> => {
    const middle = Math.min(Math.max(x, size - 180), 180 - size);
    const corners = points.map(([dx, dy]): GeoPosition => [
      middle + dx * size,
      Math.min(90, Math.max(-90, y + dy * size)),
    ]);
    return [...corners, ...corners.slice(0, 1)];
  });

const isClose = (measured: number, meters: number): boolean =>
  Math.abs(measured - meters) <= Math.max(0.001 * meters, 0.002);

describe("distanceTo", () => {
  it("the distance is 0 inside, else that to the border, to a thousandth (device.geofences)", () => {
    fc.assert(
      fc.property(ring, position, fc.constantFrom(0, 1e-3, 0.1, 1), ([...corners], far, share) => {
        const [corner = far] = corners;
        // Some points are close to the border.
        const point: GeoPosition = [
          corner[0] + share * (far[0] - corner[0]),
          corner[1] + share * (far[1] - corner[1]),
        ];
        const location = polygon(1, corners);
        const expected = contains(location, point) ? 0 : sampledDistance(point, corners);
        const measured = distanceTo(location, point);
        assert.isTrue(isClose(measured, expected), `${measured} instead of ${expected}`);
      }),
      { numRuns: cases(1_500), seed: 1 },
    );
  });

  it("the distance is right beside an edge of 1,000 km, which bends away from the shortest path", () => {
    // The edge runs along a parallel; the great circle between its ends lies 27 km to the north.
    const aligned = polygon(1, box(0, 50, 15, 60));
    const south: GeoPosition = [7.5, 49.9995];
    assert.isTrue(isClose(distanceTo(aligned, south), haversine(south, [7.5, 50])));
    assert.strictEqual(distanceTo(aligned, [7.5, 50.0005]), 0);
    const slanted = polygon(2, [
      [0, 40],
      [15, 60],
      [0, 60],
      [0, 40],
    ]);
    const beside: GeoPosition = [7.501, 50];
    assert.isTrue(
      isClose(
        distanceTo(slanted, beside),
        sampledDistance(beside, [
          [0, 40],
          [15, 60],
        ]),
      ),
    );
  });

  it("the distance in a hole, across the antimeridian and across a pole is that to the nearest ring", () => {
    const holed = polygon(1, box(4, 52, 5, 53), box(4.25, 52.25, 4.75, 52.75).toReversed());
    assert.isTrue(isClose(distanceTo(holed, [4.26, 52.5]), haversine([4.26, 52.5], [4.25, 52.5])));
    const east = polygon(2, box(170, 0, 179.99, 10));
    assert.isTrue(isClose(distanceTo(east, [-179.99, 5]), haversine([-179.99, 5], [179.99, 5])));
    const arctic = polygon(3, box(0, 80, 10, 89.99));
    assert.isTrue(
      isClose(distanceTo(arctic, [-175, 89.99]), sampledDistance([-175, 89.99], box(0, 80, 10, 89.99))),
    );
    assert.isTrue(isClose(distanceTo(circle(4, [179.999, 0], 50), [-179.999, 0]), 172.39));
  });

  it("the distance is exact up to the maximum, and above it otherwise", () => {
    fc.assert(
      fc.property(ring, position, fc.constantFrom(0, 50, 100, 1e5), (corners, point, max) => {
        const location = polygon(1, corners);
        const whole = distanceTo(location, point);
        const bounded = distanceTo(location, point, max);
        if (whole <= max) assert.strictEqual(bounded, whole);
        else assert.isAbove(bounded, max);
      }),
      { numRuns: cases(1_000), seed: 1 },
    );
  });
});

const location = fc.oneof(
  ring.map((corners) => (key: number) => polygon(key, corners)),
  fc.tuple(position, fc.integer({ min: 50, max: 1000 })).map(
    ([centre, radius]) =>
      (key: number) =>
        circle(key, centre, radius),
  ),
);
const locationList = fc
  .array(location, { maxLength: 60 })
  .map((makes) => makes.map((make, index) => make(index + 1)));

const keysOf = (locations: ReadonlyArray<IndexedLocation>) =>
  locations.map(({ key }) => key).toSorted((a, b) => a - b);

describe("LocationIndex", () => {
  it("the index finds the locations that contain a position, each once (device.positions_places)", () => {
    fc.assert(
      fc.property(locationList, position, fc.nat(), (locations, anywhere, pick) => {
        const index = LocationIndex.of(byKey(locations));
        const some = locations[pick % Math.max(1, locations.length)];
        const points: ReadonlyArray<GeoPosition> = [
          anywhere,
          [180, anywhere[1]],
          [-180, anywhere[1]],
          [anywhere[0], 90],
          [anywhere[0], -90],
          ...(some === undefined ? [] : [[some.longitude, some.latitude] as const]),
        ];
        for (const point of points) {
          const expected = locations.filter((each) => contains(each, point));
          assert.deepStrictEqual(keysOf(index.at(point)), keysOf(expected));
        }
      }),
      { numRuns: cases(500), seed: 1 },
    );
  });

  it("the index finds the nearest of given locations, by distance, then id (device.geofences)", () => {
    fc.assert(
      fc.property(locationList, position, fc.integer({ min: 1, max: 20 }), (locations, point, limit) => {
        const index = LocationIndex.of(byKey(locations));
        const given = locations.filter(({ key }) => key % 3 !== 0);
        const all = given.map((each) => ({
          key: each.key,
          meters: Math.round(distanceTo(each, point) * 10) / 10,
        }));
        all.sort((a, b) => a.meters - b.meters || a.key - b.key);
        const found = index.nearest(point, [...given.map(({ key }) => key), LocationKey(1_000_000)], limit);
        assert.deepStrictEqual(
          found.map(({ location, meters }) => ({ key: location.key, meters })),
          all.slice(0, limit),
        );
      }),
      { numRuns: cases(300), seed: 1 },
    );
  });

  it("an index without locations finds none", () => {
    const index = LocationIndex.of(new Map());
    assert.deepStrictEqual(index.at([0, 90]), []);
    assert.deepStrictEqual(index.nearest([0, 0], [LocationKey(1), LocationKey(2)], 5), []);
  });
});
