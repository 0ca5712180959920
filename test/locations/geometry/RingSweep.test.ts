import { describe, expect, it } from "@effect/vitest";
import { booleanClockwise } from "@turf/boolean-clockwise";
import fc from "fast-check";
import { orient2d } from "robust-predicates";
import type { GeoPosition, Ring } from "../../../src/locations/Location.ts";
import { sweepRings } from "../../../src/locations/geometry/RingSweep.ts";
import { clashes, exactTurn, isCounterClockwise, parentsOf } from "./RingOracle.ts";
import { cases } from "../../FixedSeed.ts";

const runs = { numRuns: cases(3000), seed: 20261121 };

const onGrid = (size: number): fc.Arbitrary<GeoPosition> => fc.tuple(fc.nat(size), fc.nat(size));

/** Positions on a few lines, a rounding error apart: where a plain determinant contradicts itself. */
const nearlyOnLines: fc.Arbitrary<GeoPosition> = fc
  .tuple(fc.nat(6), fc.nat(2), fc.integer({ min: -2, max: 2 }), fc.integer({ min: -2, max: 2 }))
  .map(([step, line, x, y]) => [0.1 * step + x * 2 ** -53, 0.3 * step + 0.1 * line + y * 2 ** -52]);

/** A closed ring without equal neighbours that is not all on one line. */
const ringOf = (position: fc.Arbitrary<GeoPosition>, maxLength: number): fc.Arbitrary<Ring> =>
  fc
    .array(position, { minLength: 3, maxLength })
    .map((positions) => positions.filter((p, i) => !isSame(p, positions[(i + 1) % positions.length] ?? p)))
    .filter(
      ([a, b, ...others]) =>
        a !== undefined && b !== undefined && others.some((c) => exactTurn(a, b, c) !== 0),
    )
    .map((positions) => [...positions, ...positions.slice(0, 1)]);

const isSame = (a: GeoPosition, b: GeoPosition): boolean => a[0] === b[0] && a[1] === b[1];

const assertSwept = (rings: ReadonlyArray<Ring>): void => {
  const sweep = sweepRings(rings);
  expect(sweep._tag !== "Apart").toBe(clashes(rings));
  if (sweep._tag === "Apart") {
    expect(sweep.isCounterClockwise).toEqual(rings.map(isCounterClockwise));
    expect(sweep.parents).toEqual(parentsOf(rings));
  }
};

describe("orient2d of robust-predicates", () => {
  /** Coordinates as the import reads them: 0, or at least 1e-100 in magnitude. */
  const flushed = (value: number): number => (Math.abs(value) < 1e-100 ? 0 : value);
  const within = (limit: number): fc.Arbitrary<number> =>
    fc.double({ min: -limit, max: limit, noNaN: true }).map(flushed);
  const coordinate = fc.oneof(within(180), within(1e-95), fc.constantFrom(0, 180, -180, 1e-100, -1e-100));
  const position = fc.oneof(fc.tuple(coordinate, coordinate), nearlyOnLines, onGrid(6));
  const onLine = fc
    .tuple(position, position, fc.double({ min: -1, max: 2, noNaN: true }))
    .map(([a, b, share]): Array<GeoPosition> => {
      const along = (i: 0 | 1): number => flushed(a[i] + share * (b[i] - a[i]));
      return [a, b, [along(0), along(1)]];
    });

  it("orient2d of robust-predicates gives the exact side of a line, also a rounding error beside it", () => {
    fc.assert(
      fc.property(fc.oneof(fc.array(position, { minLength: 3, maxLength: 3 }), onLine), ([a, b, c]) => {
        if (a === undefined || b === undefined || c === undefined)
          throw new Error("Three positions are needed.");
        // Its sign is positive where the turn is to the right.
        const side = -Math.sign(orient2d(a[0], a[1], b[0], b[1], c[0], c[1])) + 0;
        expect(side).toBe(exactTurn(a, b, c));
      }),
      runs,
    );
  });
});

describe("sweepRings", () => {
  it("the sweep finds a clash in one ring exactly if comparing all edges does (G3.5)", () => {
    fc.assert(
      fc.property(ringOf(onGrid(3), 7), (ring) => assertSwept([ring])),
      runs,
    );
    fc.assert(
      fc.property(ringOf(onGrid(8), 10), (ring) => assertSwept([ring])),
      runs,
    );
  });

  it("the sweep finds clashes and nesting of rings exactly as comparing all edges does (G3.6)", () => {
    fc.assert(fc.property(fc.array(ringOf(onGrid(4), 3), { minLength: 2, maxLength: 3 }), assertSwept), runs);
    fc.assert(fc.property(fc.array(ringOf(onGrid(9), 4), { minLength: 2, maxLength: 4 }), assertSwept), runs);
  });

  it("the sweep distinguishes rings side by side within another one from rings within each other", () => {
    const square = (size: number): Ring => [
      [0, 0],
      [size, 0],
      [size, size],
      [0, size],
      [0, 0],
    ];
    const small = fc
      .tuple(ringOf(onGrid(4), 4), fc.nat(16), fc.nat(16))
      .map(([ring, x, y]): Ring => ring.map(([px, py]): GeoPosition => [px + x, py + y]));
    const within = fc.array(small, { minLength: 2, maxLength: 4 }).map((rings) => [square(20), ...rings]);
    fc.assert(fc.property(within, assertSwept), runs);
  });

  it("the sweep finds the same winding as Turf in rings of a centimetre and more", () => {
    const size = fc.constantFrom(1e-7, 1e-3, 1, 4);
    const ring = fc
      .tuple(
        ringOf(onGrid(20), 8),
        size,
        fc.integer({ min: -180, max: 99 }),
        fc.integer({ min: -90, max: 9 }),
      )
      .map(([grid, scale, x, y]): Ring => grid.map((p) => [x + p[0] * scale, y + p[1] * scale]));
    fc.assert(
      fc.property(ring, (positions) => {
        const sweep = sweepRings([positions]);
        fc.pre(sweep._tag === "Apart");
        if (sweep._tag !== "Apart") return;
        expect(sweep.isCounterClockwise).toEqual([!booleanClockwise(positions.map(([x, y]) => [x, y]))]);
      }),
      runs,
    );
  });

  it("the sweep is right about edges that are a rounding error apart", () => {
    fc.assert(
      fc.property(fc.array(ringOf(nearlyOnLines, 5), { minLength: 1, maxLength: 2 }), assertSwept),
      runs,
    );
  });
});
