import { assert, describe, it } from "@effect/vitest";
import fc from "fast-check";
import { EARTH_RADIUS_METERS } from "../../../src/locations/geometry/BoundingBox.ts";
import { boundingCircle, type BoundingCircle } from "../../../src/locations/geometry/BoundingCircle.ts";
import { chordSquared, directionOf } from "../../../src/locations/geometry/Direction.ts";
import { capOf } from "../../../src/locations/geometry/SphericalCap.ts";
import { box } from "../Features.ts";
import { haversine } from "./TestLocations.ts";
import { cases } from "../../FixedSeed.ts";

type Point = readonly [number, number];

const circleOf = (ring: ReadonlyArray<Point>): BoundingCircle =>
  boundingCircle({ type: "Polygon", coordinates: [ring.map(([x, y]): [number, number] => [x, y])] });

/** Points along all edges, which are straight in longitude and latitude. */
const outline = (ring: ReadonlyArray<Point>, pieces: number): ReadonlyArray<Point> =>
  ring.flatMap(([x, y], index) => {
    const [fromX, fromY] = ring[index - 1] ?? [x, y];
    return Array.from({ length: pieces }, (_, n): Point => {
      const share = (n + 1) / pieces;
      return [fromX + share * (x - fromX), fromY + share * (y - fromY)];
    });
  });

const farthest = ({ latitude, longitude }: BoundingCircle, points: ReadonlyArray<Point>): number =>
  points.reduce((max, point) => Math.max(max, haversine([longitude, latitude], point)), 0);

const closed = (points: ReadonlyArray<Point>): ReadonlyArray<Point> => [...points, ...points.slice(0, 1)];

describe("boundingCircle", () => {
  const size = fc.constantFrom(1e-6, 1e-4, 0.01, 1, 20, 89);
  const ring = fc
    .record({
      x: fc.double({ min: -180, max: 180, noNaN: true }),
      y: fc.double({ min: -90, max: 90, noNaN: true }),
      size,
      points: fc.array(
        fc.tuple(fc.double({ min: -1, max: 1, noNaN: true }), fc.double({ min: -1, max: 1, noNaN: true })),
        { minLength: 3, maxLength: 12 },
      ),
    })
    .map(({ points, size, x, y }) => {
      // Within the map, and at most 180° wide.
      const west = Math.min(Math.max(x, size - 180), 180 - size);
      return closed(
        points.map(([dx, dy]): Point => [west + dx * size, Math.min(90, Math.max(-90, y + dy * size))]),
      );
    });

  it("the circle around a polygon contains the whole outline, also at poles and map edges", () => {
    fc.assert(
      fc.property(ring, (points) => {
        const circle = circleOf(points);
        assert.isTrue(Number.isInteger(circle.radiusMeters) && circle.radiusMeters > 0);
        assert.isAtMost(farthest(circle, outline(points, 50)), circle.radiusMeters);
      }),
      { numRuns: cases(400) },
    );
  });

  it("the circle around a polygon is at most 1 % and two metres larger than with any other centre", () => {
    fc.assert(
      fc.property(ring, (points) => {
        const circle = circleOf(points);
        const all = outline(points, 50);
        // The smallest circles around centres a little farther north, south, east and west.
        const shifted = [0.98, 0.99, 1.01, 1.02].flatMap((factor): ReadonlyArray<BoundingCircle> => {
          const shift = (circle.radiusMeters * (factor - 1)) / 111_195;
          return [
            { ...circle, latitude: Math.min(90, Math.max(-90, circle.latitude + shift)) },
            { ...circle, longitude: circle.longitude + shift },
          ];
        });
        const best = shifted.reduce((min, each) => Math.min(min, farthest(each, all)), Infinity);
        assert.isAtMost(circle.radiusMeters, best * 1.01 + 2);
      }),
      { numRuns: cases(200) },
    );
  });

  it("the circle around a small square has its middle as centre and half its diagonal as radius", () => {
    const circle = circleOf(box(4.9, 52.37, 4.91, 52.38));
    assert.approximately(circle.longitude, 4.905, 1e-4);
    assert.approximately(circle.latitude, 52.375, 1e-4);
    assert.approximately(circle.radiusMeters, haversine([4.905, 52.375], [4.9, 52.37]), 2);
  });

  it("the circle around a long edge contains its middle, which lies off the shortest path", () => {
    const ring = box(-85, 60, 85, 60.5);
    const circle = circleOf(ring);
    assert.isAtMost(farthest(circle, outline(ring, 500)), circle.radiusMeters);
  });

  it("the circle around a small polygon at a pole or the antimeridian is small", () => {
    const cap = circleOf(box(0, 89.9, 180, 90));
    assert.isAtMost(cap.radiusMeters, haversine([0, 89.9], [0, 90]) * 1.005);
    const edge = circleOf(box(179.9, 0, 180, 0.1));
    assert.isAtMost(edge.radiusMeters, 7900);
    assert.isAbove(edge.longitude, 179.9);
  });

  it("the circle around 10,000 edges across half the world contains them", () => {
    for (const [from, to] of [
      [89.9999, 90],
      [60, 60.001],
      [-1, 1],
    ] as const) {
      const zigzag = Array.from({ length: 9999 }, (_, n): Point => [
        n % 2 === 0 ? -90 : 90,
        from + ((to - from) * n) / 9999,
      ]);
      const circle = circleOf(closed(zigzag));
      assert.isAtMost(farthest(circle, outline(closed(zigzag).slice(-200), 20)), circle.radiusMeters);
    }
  });

  it("the circle around half the world is a hemisphere", () => {
    const circle = circleOf(box(-90, -90, 90, 90));
    assert.deepStrictEqual([Math.abs(Math.round(circle.longitude)), Math.round(circle.latitude)], [0, 0]);
    assert.approximately(circle.radiusMeters, (EARTH_RADIUS_METERS * Math.PI) / 2, 20_000);
    assert.isAtMost(farthest(circle, outline(box(-90, -89, 90, 89), 200)), circle.radiusMeters);
  });
});

describe("capOf", () => {
  it("the smallest cap contains all directions and is within Jung's bound", () => {
    const point = fc.tuple(
      fc.double({ min: -60, max: 60, noNaN: true }),
      fc.double({ min: -60, max: 60, noNaN: true }),
    );
    fc.assert(
      fc.property(fc.array(point, { minLength: 1, maxLength: 30 }), (points) => {
        const directions = points.map(directionOf);
        const cap = capOf(directions);
        for (const each of directions) {
          assert.isAtMost(chordSquared(cap.centre, each), cap.chordSquared * (1 + 1e-9) + 1e-24);
        }
        // Every cap around a pair has at least half of its distance as radius.
        for (const a of directions) {
          for (const b of directions) {
            const half = 2 * Math.sin(Math.asin(Math.min(1, Math.sqrt(chordSquared(a, b)) / 2)) / 2);
            assert.isAtLeast(Math.sqrt(cap.chordSquared) * (1 + 1e-6) + 1e-15, half);
          }
        }
        // Jung's bound: the worst case of a widest pair is an equilateral triangle.
        const widest = Math.max(...directions.flatMap((a) => directions.map((b) => chordSquared(a, b))));
        assert.isAtMost(cap.chordSquared, widest * 0.8 + 1e-12);
      }),
      { numRuns: cases(300) },
    );
  });
});
