import { assert, describe, it } from "@effect/vitest";
import fc from "fast-check";
import type { GeoPosition } from "../../../src/locations/Location.ts";
import { contains } from "../../../src/locations/geometry/Containment.ts";
import { box } from "../Features.ts";
import { circle, haversine, polygon } from "./TestLocations.ts";
import { cases } from "../../FixedSeed.ts";

/** Whether a point lies on the segment; coordinates are integers, so doubles are exact. */
const isOn = ([x, y]: GeoPosition, [ax, ay]: GeoPosition, [bx, by]: GeoPosition): boolean =>
  (bx - ax) * (y - ay) === (by - ay) * (x - ax) &&
  Math.min(ax, bx) <= x &&
  x <= Math.max(ax, bx) &&
  Math.min(ay, by) <= y &&
  y <= Math.max(ay, by);

/** Counts crossings of a slanted line that starts at a grid point and meets no other one. */
const isInside = (point: GeoPosition, rings: ReadonlyArray<ReadonlyArray<GeoPosition>>): boolean => {
  const [x, y] = point;
  const slope = Math.SQRT2 / 1000;
  let crossings = 0;
  for (const ring of rings) {
    for (const [index, to] of ring.entries()) {
      const from = ring[index - 1] ?? to;
      if (isOn(point, from, to)) return true;
      const above = ([px, py]: GeoPosition) => py - y > slope * (px - x);
      if (above(from) === above(to)) continue;
      const a = from[1] - y - slope * (from[0] - x);
      const b = to[1] - y - slope * (to[0] - x);
      if (from[0] + (a / (a - b)) * (to[0] - from[0]) > x) crossings++;
    }
  }
  return crossings % 2 === 1;
};

const grid = fc.tuple(fc.integer({ min: -6, max: 6 }), fc.integer({ min: -6, max: 6 }));
const ring = fc
  .array(grid, { minLength: 3, maxLength: 9 })
  .map((points): ReadonlyArray<GeoPosition> => [...points, ...points.slice(0, 1)]);

/** A ring around all others. */
const shell = box(-7, -7, 7, 7);

describe("containment in polygons", () => {
  it("a polygon contains its inside and border, without its holes (device.positions_places)", () => {
    fc.assert(
      fc.property(fc.array(ring, { maxLength: 3 }), grid, (rings, point) => {
        const all = [shell, ...rings];
        assert.strictEqual(contains(polygon(1, ...all), point), isInside(point, all));
      }),
      { numRuns: cases(3_000), seed: 1 },
    );
  });

  it("a polygon contains its border and the borders of its holes, and nothing beside them", () => {
    const holed = polygon(1, box(4, 52, 5, 53), box(4.25, 52.25, 4.75, 52.75).toReversed());
    const inside: ReadonlyArray<GeoPosition> = [
      [4, 52],
      [5, 53],
      [4.5, 52],
      [4, 52.3],
      [4.25, 52.5],
      [4.75, 52.75],
      [4.1, 52.25],
    ];
    for (const point of inside) assert.isTrue(contains(holed, point), String(point));
    const outside: ReadonlyArray<GeoPosition> = [
      [4.5, 52.5],
      [4.2500000001, 52.5],
      [3.9999999999, 52.5],
      [4.5, 53.0000000001],
      [4.5, -52.5],
      [-175.5, 52.5],
    ];
    for (const point of outside) assert.isFalse(contains(holed, point), String(point));
  });

  it("a polygon contains the antimeridian at both longitudes, and a pole where it has a corner", () => {
    const east = polygon(1, box(170, -10, 180, 10));
    const west = polygon(2, box(-180, -10, -170, 10));
    for (const longitude of [180, -180]) {
      assert.isTrue(contains(east, [longitude, 5]));
      assert.isTrue(contains(west, [longitude, 5]));
      assert.isFalse(contains(east, [longitude, 11]));
    }
    assert.isFalse(contains(east, [-179.9, 0]));
    const north = polygon(3, box(0, 80, 90, 90));
    for (const longitude of [-180, -100, 45, 170]) assert.isTrue(contains(north, [longitude, 90]));
    assert.isFalse(contains(north, [45, -90]));
    assert.isTrue(contains(polygon(4, box(0, -90, 90, -80)), [-120, -90]));
    assert.isFalse(contains(polygon(5, box(0, 80, 90, 89.9)), [45, 90]));
  });
});

describe("containment in circles", () => {
  it("a circle contains what is within its radius, anywhere on earth (device.positions_places)", () => {
    const degrees = fc.record({
      x: fc.oneof(fc.double({ min: -180, max: 180, noNaN: true }), fc.constantFrom(-180, 180, 179.9999)),
      y: fc.oneof(fc.double({ min: -90, max: 90, noNaN: true }), fc.constantFrom(-90, 90, 89.9999)),
    });
    fc.assert(
      fc.property(
        degrees,
        fc.integer({ min: 50, max: 1000 }),
        fc.double({ min: -0.02, max: 0.02, noNaN: true }),
        fc.double({ min: -0.02, max: 0.02, noNaN: true }),
        ({ x, y }, radius, dx, dy) => {
          const longitude = x + dx > 180 ? x + dx - 360 : x + dx < -180 ? x + dx + 360 : x + dx;
          const point: GeoPosition = [longitude, Math.min(90, Math.max(-90, y + dy))];
          const meters = haversine([x, y], point);
          fc.pre(Math.abs(meters - radius) > 1e-3);
          assert.strictEqual(contains(circle(1, [x, y], radius), point), meters < radius);
        },
      ),
      { numRuns: cases(3_000), seed: 1 },
    );
  });
});
