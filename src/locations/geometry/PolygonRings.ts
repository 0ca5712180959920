/**
 * Reads and normalises the coordinates of a GeoJSON Polygon, in degrees (contract G2, G3). Area, crossings,
 * nesting and winding of its rings are decided exactly: by orientation signs and a ring sweep (RingSweep.ts),
 * which takes n log n time, about 20 ms for the maximum of 10,000 positions.
 */
import { orient2d } from "robust-predicates";
import type { GeoPosition, PolygonGeometry, Ring } from "../Location.ts";
import { formatPosition, readRing } from "./Coordinates.ts";
import { describeValue, type Reject } from "./FeatureRejection.ts";
import { sweepRings, type RingClash, type RingSweep } from "./RingSweep.ts";

/** The maximum number of positions of a polygon, all rings together, as sent. */
const MAX_POSITIONS = 10_000;

/** The maximum number of reasons for one polygon; more are likely repetitions. */
const MAX_REASONS = 20;

/** The maximum number of clashes between rings that are reported, each found by one more sweep. */
const MAX_CLASHES = 3;

/**
 * The polygon with closed rings, the exterior one counter-clockwise and the holes clockwise, without
 * altitudes and repeated positions. Undefined if the coordinates are rejected.
 */
export const readPolygon = (value: unknown, reject: Reject): PolygonGeometry | undefined => {
  if (!Array.isArray(value) || value.length === 0) {
    const sent = Array.isArray(value) ? "an empty array" : describeValue(value);
    return reject(
      `A Polygon needs coordinates: an array of rings, the exterior one first; this one has ${sent}.`,
    );
  }
  const rings: ReadonlyArray<unknown> = value;
  const count = rings.reduce<number>((sum, ring) => sum + (Array.isArray(ring) ? ring.length : 0), 0);
  if (count > MAX_POSITIONS)
    return reject(`The polygon has ${count} positions; simplify it to at most ${MAX_POSITIONS} in all.`);
  const reasons: Array<string> = [];
  const report: Reject = (reason) => void (reasons.length <= MAX_REASONS && reasons.push(reason));
  const validRings: Array<NumberedRing> = [];
  for (let number = 0; number < rings.length && reasons.length <= MAX_REASONS; number++) {
    const label = labelOf(number);
    const positions = readRing(rings[number], label, report);
    if (positions === undefined) continue;
    if (hasArea(positions)) validRings.push({ number, positions });
    else report(`The ${label} has no area: all its positions lie on one line; draw it around an area.`);
  }
  const coordinates = normalizeRings(validRings, report);
  reasons.slice(0, MAX_REASONS).forEach((reason) => reject(reason));
  if (reasons.length > MAX_REASONS)
    reject(`Only the first ${MAX_REASONS} problems of this polygon are listed.`);
  return reasons.length === 0 ? { type: "Polygon", coordinates } : undefined;
};

/** A ring and its number in the polygon: 0 is the exterior ring. */
interface NumberedRing {
  readonly number: number;
  readonly positions: Ring;
}

/** The rings with the right winding; reports rings that cross, overlap, or lie where they must not. */
const normalizeRings = (rings: ReadonlyArray<NumberedRing>, report: Reject): ReadonlyArray<Ring> => {
  let checked = rings;
  let sweep = sweepOf(checked);
  if (sweep._tag !== "Apart") {
    checked = rings.filter((ring) => {
      const alone = sweepOf([ring]);
      if (alone._tag !== "Apart") report(clashReason(alone, [ring]));
      return alone._tag === "Apart";
    });
    sweep = sweepOf(checked);
  }
  // A sweep stops at the first clash. Without the later of its rings, another sweep finds the next one.
  for (let clashes = 0; sweep._tag !== "Apart" && clashes < MAX_CLASHES; clashes++) {
    report(clashReason(sweep, checked));
    const later = Math.max(...sweep.rings);
    checked = checked.filter((_, index) => index !== later);
    sweep = sweepOf(checked);
  }
  if (sweep._tag !== "Apart") return [];
  const { isCounterClockwise, parents } = sweep;
  const hasExterior = checked[0]?.number === 0;
  checked.forEach(({ number }, index) => {
    if (number === 0) return;
    const parent = checked[parents[index] ?? -1]?.number;
    if (parent === undefined && hasExterior)
      report(`Hole ${number} lies outside the exterior ring; a hole must lie inside it.`);
    else if (parent !== undefined && parent > 0)
      report(`Hole ${number} lies inside hole ${parent}; holes must lie apart, so leave the inner one out.`);
  });
  return checked.map(({ number, positions }, index) =>
    isCounterClockwise[index] === (number === 0) ? positions : positions.toReversed(),
  );
};

const sweepOf = (rings: ReadonlyArray<NumberedRing>): RingSweep =>
  sweepRings(rings.map((ring) => ring.positions));

const clashReason = ({ _tag, rings, at }: RingClash, swept: ReadonlyArray<NumberedRing>): string => {
  const [a = 0, b = 0] = rings.map((index) => swept[index]?.number).toSorted((x = 0, y = 0) => x - y);
  const where = formatPosition(at);
  if (a === b) {
    return _tag === "Crossing"
      ? `The ${labelOf(a)} crosses itself at ${where}; ` +
          "a ring may touch itself in single points, but not cross itself."
      : `The ${labelOf(a)} has edges that lie on each other at ${where}; ` +
          "remove the spike or the doubled edge there.";
  }
  const rule =
    a === 0
      ? "a hole must lie inside the exterior ring and touch it in single points at most"
      : "holes must lie apart and touch each other in single points at most";
  const verb = _tag === "Crossing" ? "crosses" : "runs along";
  return `Hole ${b} ${verb} ${a === 0 ? "the exterior ring" : `hole ${a}`} at ${where}; ${rule}.`;
};

const labelOf = (number: number): string => (number === 0 ? "exterior ring" : `ring of hole ${number}`);

/** Whether not all positions lie on one line. */
const hasArea = (positions: ReadonlyArray<GeoPosition>): boolean => {
  const [a, b] = positions;
  if (a === undefined || b === undefined) return false;
  return positions.some((c) => orient2d(a[0], a[1], b[0], b[1], c[0], c[1]) !== 0);
};
