import { orient2d } from "robust-predicates";
import { inDegrees, readRing } from "./Coordinates.ts";
import type { PolygonGeometry, GeoPosition, Ring } from "../Location.ts";
import { describe, type Refuse } from "./GeometryProblem.ts";
import { sweepRings, type RingClash, type RingSweep } from "./RingSweep.ts";

/** The most positions that the rings of a polygon may have together, as sent. */
const MAX_POSITIONS = 10_000;

/** The most reasons that one polygon is refused with; the rest is likely more of the same. */
const MAX_REASONS = 20;

/**
 * The coordinates of a GeoJSON Polygon, normalised: closed, exterior counter-clockwise, holes clockwise, without altitude or
 * repeated positions (contract G2). Undefined where they make no polygon (contract G3), with the reasons told.
 */
export const readPolygon = (value: unknown, refuse: Refuse): PolygonGeometry | undefined => {
  if (!Array.isArray(value) || value.length === 0) {
    const sent = Array.isArray(value) ? "an empty array" : describe(value);
    refuse(`A Polygon needs coordinates: an array of rings, the exterior one first; this one has ${sent}.`);
    return undefined;
  }
  const rings: ReadonlyArray<unknown> = value;
  const count = rings.reduce<number>((sum, ring) => sum + (Array.isArray(ring) ? ring.length : 0), 0);
  if (count > MAX_POSITIONS) {
    refuse(`The polygon has ${count} positions; simplify it to at most ${MAX_POSITIONS} in all.`);
    return undefined;
  }
  const reasons: Array<string> = [];
  const tell: Refuse = (reason) => {
    if (reasons.length <= MAX_REASONS) reasons.push(reason);
  };
  const sound: Array<NumberedRing> = [];
  for (let number = 0; number < rings.length && reasons.length <= MAX_REASONS; number++) {
    const positions = readRing(rings[number], labelOf(number), tell);
    if (positions === undefined) continue;
    if (hasArea(positions)) sound.push({ number, positions });
    else
      tell(`The ${labelOf(number)} has no area: all its positions lie on one line; draw it around an area.`);
  }
  const coordinates = apart(sound, tell);
  reasons.slice(0, MAX_REASONS).forEach(refuse);
  if (reasons.length > MAX_REASONS)
    refuse(`Only the first ${MAX_REASONS} problems of this polygon are listed.`);
  return reasons.length === 0 ? { type: "Polygon", coordinates } : undefined;
};

interface NumberedRing {
  readonly number: number;
  readonly positions: Ring;
}

/** The rings, wound as they should be, if they lie to each other as they should; else the reasons are told. */
const apart = (rings: ReadonlyArray<NumberedRing>, tell: Refuse): ReadonlyArray<Ring> => {
  let checked = rings;
  let sweep = sweepOf(checked);
  if (sweep._tag !== "Apart") {
    checked = rings.filter((ring) => {
      const alone = sweepOf([ring]);
      if (alone._tag !== "Apart") tell(reasonOf(alone, [ring]));
      return alone._tag === "Apart";
    });
    sweep = sweepOf(checked);
  }
  // A sweep stops at the first clash. Without the hole of that clash it finds the next one; a few are enough to act on.
  for (let found = 0; sweep._tag !== "Apart" && found < MAX_CLASHES; found++) {
    tell(reasonOf(sweep, checked));
    const hole = Math.max(...sweep.rings);
    checked = checked.filter((_, index) => index !== hole);
    sweep = sweepOf(checked);
  }
  if (sweep._tag !== "Apart") return [];
  const { counterClockwise, parents } = sweep;
  checked.forEach(({ number }, index) => {
    const around = checked[parents[index] ?? -1];
    if (number === 0) return;
    if (around === undefined && checked[0]?.number === 0) {
      tell(`Hole ${number} lies outside the exterior ring; a hole must lie inside it.`);
    }
    if (around !== undefined && around.number > 0) {
      tell(
        `Hole ${number} lies inside hole ${around.number}; holes must lie apart, so leave the inner one out.`,
      );
    }
  });
  return checked.map(({ number, positions }, index) =>
    counterClockwise[index] === (number === 0) ? positions : positions.toReversed(),
  );
};

/** How many clashes between rings are looked for, each at the cost of a sweep. */
const MAX_CLASHES = 3;

const sweepOf = (rings: ReadonlyArray<NumberedRing>): RingSweep =>
  sweepRings(rings.map((ring) => ring.positions));

const reasonOf = ({ _tag, rings, at }: RingClash, swept: ReadonlyArray<NumberedRing>): string => {
  const [a = 0, b = 0] = rings.map((index) => swept[index]?.number).toSorted((x = 0, y = 0) => x - y);
  const place = inDegrees(at);
  if (a === b) {
    return _tag === "Crossing"
      ? `The ${labelOf(a)} crosses itself at ${place}; a ring may touch itself in single points, but not cross itself.`
      : `The ${labelOf(a)} has edges that lie on each other at ${place}; remove the spike or the doubled edge there.`;
  }
  const rule =
    a === 0
      ? "a hole must lie inside the exterior ring and touch it in single points at most"
      : "holes must lie apart and touch each other in single points at most";
  const verb = _tag === "Crossing" ? "crosses" : "runs along";
  return `Hole ${b} ${verb} ${a === 0 ? "the exterior ring" : `hole ${a}`} at ${place}; ${rule}.`;
};

const labelOf = (number: number): string => (number === 0 ? "exterior ring" : `ring of hole ${number}`);

const hasArea = (positions: ReadonlyArray<GeoPosition>): boolean => {
  const [a, b] = positions;
  if (a === undefined || b === undefined) return false;
  return positions.some((c) => orient2d(a[0], a[1], b[0], b[1], c[0], c[1]) !== 0);
};
