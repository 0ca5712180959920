import type { GeoPosition } from "../Location.ts";
import { boxOfPositions } from "./BoundingBox.ts";
import { describe, type Refuse } from "./GeometryProblem.ts";

/**
 * A position of GeoJSON: longitude, latitude, and perhaps an altitude, which is dropped (contract G2). Undefined where it is
 * not one, with all reasons told; `subject` names the position in them.
 */
export const readPosition = (value: unknown, subject: string, refuse: Refuse): GeoPosition | undefined => {
  if (!Array.isArray(value) || value.length < 2) {
    refuse(`${subject} must be an array of a longitude and a latitude, such as [4.9, 52.37].`);
    return undefined;
  }
  const longitude: unknown = value[0];
  const latitude: unknown = value[1];
  const x = degreesOf(longitude, 180);
  const y = degreesOf(latitude, 90);
  if (x !== undefined && y !== undefined) return [x, y];
  const swapped = degreesOf(longitude, 90) !== undefined && degreesOf(latitude, 180) !== undefined;
  const hint = swapped ? " GeoJSON writes the longitude first; perhaps the two are swapped." : "";
  if (x === undefined) {
    refuse(
      `${subject} has longitude ${describe(longitude)}; it must be a number between -180 and 180.${hint}`,
    );
  }
  if (y === undefined) {
    refuse(`${subject} has latitude ${describe(latitude)}; it must be a number between -90 and 90.${hint}`);
  }
  return undefined;
};

/**
 * A ring as it is sent, without altitude and without equal neighbours; `label` names it in reasons. Undefined where it has bad
 * positions or fewer than four, is not closed, or spans more than 180° of longitude (contract G3), with all reasons told.
 */
export const readRing = (
  value: unknown,
  label: string,
  refuse: Refuse,
): ReadonlyArray<GeoPosition> | undefined => {
  if (!Array.isArray(value)) {
    refuse(`The ${label} must be an array of positions; it is ${describe(value)}.`);
    return undefined;
  }
  const positions = readPositions(value, label, refuse);
  if (value.length < 4) {
    refuse(
      `The ${label} has ${value.length} positions; a ring needs at least four, the last equal to the first.`,
    );
    return undefined;
  }
  const first = positions?.at(0);
  const last = positions?.at(-1);
  if (positions === undefined || first === undefined || last === undefined) return undefined;
  const closed = isSame(first, last);
  if (!closed) {
    refuse(`The ${label} is not closed: its last position must be equal to its first, ${inDegrees(first)}.`);
  }
  const [west, , east] = boxOfPositions(positions);
  const span = east - west;
  if (span > 180) {
    refuse(
      `The ${label} spans ${rounded(span)} degrees of longitude, at most 180 are taken; ` +
        `cut a polygon that crosses the antimeridian in two.`,
    );
  }
  return closed && span <= 180 ? withoutRepeats(positions) : undefined;
};

/** A position to be read by a person: to about 10 cm. */
export const inDegrees = ([longitude, latitude]: GeoPosition): string =>
  `[${rounded(longitude)}, ${rounded(latitude)}]`;

const readPositions = (
  values: ReadonlyArray<unknown>,
  label: string,
  refuse: Refuse,
): ReadonlyArray<GeoPosition> | undefined => {
  const positions: Array<GeoPosition> = [];
  let wrong = 0;
  values.forEach((value, index) => {
    // The first wrong position tells what is wrong; the same of thousands more would bury it.
    const tell = wrong === 0 ? refuse : () => undefined;
    const position = readPosition(value, `GeoPosition ${index + 1} of the ${label}`, tell);
    if (position === undefined) wrong++;
    else positions.push(position);
  });
  if (wrong > 1) refuse(`The ${label} has ${wrong} wrong positions in all; correct the others likewise.`);
  return wrong === 0 ? positions : undefined;
};

/** A number of degrees from -limit to limit; what is next to nothing is 0, which keeps all arithmetic on it exact. */
const degreesOf = (value: unknown, limit: number): number | undefined => {
  if (typeof value !== "number" || !(Math.abs(value) <= limit)) return undefined;
  return Math.abs(value) < 1e-100 ? 0 : value;
};

const isSame = (a: GeoPosition, b: GeoPosition): boolean => a[0] === b[0] && a[1] === b[1];

const withoutRepeats = (positions: ReadonlyArray<GeoPosition>): ReadonlyArray<GeoPosition> => {
  const kept: Array<GeoPosition> = [];
  for (const position of positions) {
    const last = kept.at(-1);
    if (last === undefined || !isSame(last, position)) kept.push(position);
  }
  return kept;
};

const rounded = (degrees: number): number => Math.round(degrees * 1e6) / 1e6;
