import { assert, describe, it } from "@effect/vitest";
import fc from "fast-check";
import type { GeoPosition } from "../../../src/locations/Location.ts";
import type { IndexedLocation } from "../../../src/locations/geometry/IndexedLocation.ts";
import { holds } from "../../../src/locations/geometry/Containment.ts";
import { distanceTo } from "../../../src/locations/geometry/BorderDistance.ts";
import { LocationIndex } from "../../../src/locations/geometry/LocationIndex.ts";
import { box } from "../Features.ts";
import { circle, haversine, placesOf, polygon, sampledDistance } from "./TestLocations.ts";

const longitude = fc.oneof(
  fc.double({ min: -180, max: 180, noNaN: true }),
  fc.constantFrom(-180, -179.999, 0, 179.999, 180),
);
const latitude = fc.oneof(
  fc.double({ min: -90, max: 90, noNaN: true }),
  fc.constantFrom(-90, -89.999, 0, 89.999, 90),
);
const position = fc.tuple(longitude, latitude);

/** A polygon of some size somewhere, as wide as may be. */
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

describe("The distance to a place", () => {
  it("is 0 inside, and else that to the nearest point of the border, to a thousandth (device.geofences)", () => {
    fc.assert(
      fc.property(ring, position, fc.constantFrom(0, 1e-3, 0.1, 1), ([...corners], far, share) => {
        const [corner = far] = corners;
        // Near the border as well as anywhere.
        const point: GeoPosition = [
          corner[0] + share * (far[0] - corner[0]),
          corner[1] + share * (far[1] - corner[1]),
        ];
        const place = polygon(1, corners);
        const expected = holds(place, point) ? 0 : sampledDistance(point, corners);
        const measured = distanceTo(place, point);
        assert.isTrue(isClose(measured, expected), `${measured} instead of ${expected}`);
      }),
      { numRuns: 1_500, seed: 1 },
    );
  });

  it("is right beside an edge that is a thousand kilometres long and bends away from the shortest way", () => {
    // The edge runs along a parallel; the great circle between its ends lies 70 km to the north in the middle.
    const place = polygon(1, box(0, 50, 15, 60));
    const south: GeoPosition = [7.5, 49.9995];
    assert.isTrue(isClose(distanceTo(place, south), haversine(south, [7.5, 50])));
    assert.strictEqual(distanceTo(place, [7.5, 50.0005]), 0);
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

  it("is measured to the nearest ring, in a hole too, and across the antimeridian and the pole", () => {
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

  it("need not be told where it is over the most that is asked for", () => {
    fc.assert(
      fc.property(ring, position, fc.constantFrom(0, 50, 100, 1e5), (corners, point, most) => {
        const place = polygon(1, corners);
        const whole = distanceTo(place, point);
        const bounded = distanceTo(place, point, most);
        if (whole <= most) assert.strictEqual(bounded, whole);
        else assert.isAbove(bounded, most);
      }),
      { numRuns: 1_000, seed: 1 },
    );
  });
});

const place = fc.oneof(
  ring.map((corners) => (key: number) => polygon(key, corners)),
  fc.tuple(position, fc.integer({ min: 50, max: 1000 })).map(
    ([centre, radius]) =>
      (key: number) =>
        circle(key, centre, radius),
  ),
);
const placesIn = fc
  .array(place, { maxLength: 60 })
  .map((makes) => makes.map((make, index) => make(index + 1)));

const numbers = (places: ReadonlyArray<IndexedLocation>) =>
  places.map(({ key }) => key).toSorted((a, b) => a - b);

describe("An index of places", () => {
  it("finds exactly the places that hold a position, each once (device.positions_places)", () => {
    fc.assert(
      fc.property(placesIn, position, fc.nat(), (places, anywhere, pick) => {
        const index = LocationIndex.of(placesOf(places));
        const some = places[pick % Math.max(1, places.length)];
        const points: ReadonlyArray<GeoPosition> = [
          anywhere,
          [180, anywhere[1]],
          [-180, anywhere[1]],
          [anywhere[0], 90],
          [anywhere[0], -90],
          ...(some === undefined ? [] : [[some.longitude, some.latitude] as const]),
        ];
        for (const point of points) {
          const expected = places.filter((each) => holds(each, point));
          assert.deepStrictEqual(numbers(index.at(point)), numbers(expected));
        }
      }),
      { numRuns: 500, seed: 1 },
    );
  });

  it("finds the nearest of those asked for, by distance as it is shown, then id (device.geofences)", () => {
    fc.assert(
      fc.property(placesIn, position, fc.integer({ min: 1, max: 20 }), (places, point, most) => {
        const index = LocationIndex.of(placesOf(places));
        const asked = places.filter(({ key }) => key % 3 !== 0);
        const all = asked.map((each) => ({
          key: each.key,
          meters: Math.round(distanceTo(each, point) * 10) / 10,
        }));
        all.sort((a, b) => a.meters - b.meters || a.key - b.key);
        const found = index.nearest(point, [...asked.map(({ key }) => key), 1_000_000], most);
        assert.deepStrictEqual(
          found.map(({ meters, place }) => ({ key: place.key, meters })),
          all.slice(0, most),
        );
      }),
      { numRuns: 300, seed: 1 },
    );
  });

  it("of no places finds none", () => {
    const index = LocationIndex.of(new Map());
    assert.deepStrictEqual(index.at([0, 90]), []);
    assert.deepStrictEqual(index.nearest([0, 0], [1, 2], 5), []);
  });
});
