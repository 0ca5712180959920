/**
 * Reads positions and rings of imported geometries, in degrees. Values are kept exactly as sent, except that
 * a magnitude below 1e-100 becomes 0, so that orientations are exact (RingSweep.ts).
 */
import type { GeoPosition } from "../Location.ts";
import { boxOfPositions } from "./BoundingBox.ts";
import { describeValue, type Reject } from "./FeatureRejection.ts";

/**
 * Reads a GeoJSON position: longitude, latitude, and perhaps an altitude, which is dropped (contract G2).
 * Undefined if it is rejected; `subject` names the position in the reasons.
 */
export const readPosition = (value: unknown, subject: string, reject: Reject): GeoPosition | undefined => {
  if (!Array.isArray(value) || value.length < 2)
    return reject(`${subject} must be an array of a longitude and a latitude, such as [4.9, 52.37].`);
  const longitude: unknown = value[0];
  const latitude: unknown = value[1];
  const x = readDegrees(longitude, 180);
  const y = readDegrees(latitude, 90);
  if (x !== undefined && y !== undefined) return [x, y];
  const isSwapped = readDegrees(longitude, 90) !== undefined && readDegrees(latitude, 180) !== undefined;
  const hint = isSwapped ? " GeoJSON writes the longitude first; perhaps the two are swapped." : "";
  const report = (name: string, degrees: unknown, limit: number) => {
    const range = `between -${limit} and ${limit}`;
    reject(`${subject} has ${name} ${describeValue(degrees)}; it must be a number ${range}.${hint}`);
  };
  if (x === undefined) report("longitude", longitude, 180);
  if (y === undefined) report("latitude", latitude, 90);
  return undefined;
};

/**
 * Reads a ring and drops altitudes and repeated positions. Rejects wrong positions, fewer than four, a ring
 * that is not closed or spans more than 180° of longitude (contract G3). `label` names it in the reasons.
 */
export const readRing = (
  value: unknown,
  label: string,
  reject: Reject,
): ReadonlyArray<GeoPosition> | undefined => {
  if (!Array.isArray(value))
    return reject(`The ${label} must be an array of positions; it is ${describeValue(value)}.`);
  const positions = readPositions(value, label, reject);
  if (value.length < 4) {
    return reject(
      `The ${label} has ${value.length} positions; a ring needs at least four, the last equal to the first.`,
    );
  }
  const first = positions?.at(0);
  const last = positions?.at(-1);
  if (positions === undefined || first === undefined || last === undefined) return undefined;
  const isClosed = isSame(first, last);
  if (!isClosed) {
    reject(
      `The ${label} is not closed: its last position must be equal to its first, ${formatPosition(first)}.`,
    );
  }
  const [west, , east] = boxOfPositions(positions);
  const span = east - west;
  if (span > 180) {
    reject(
      `The ${label} spans ${rounded(span)} degrees of longitude, but may span at most 180; ` +
        `cut a polygon that crosses the antimeridian in two.`,
    );
  }
  return isClosed && span <= 180 ? withoutRepeats(positions) : undefined;
};

/** A position as reasons show it: to about 10 cm. */
export const formatPosition = ([longitude, latitude]: GeoPosition): string =>
  `[${rounded(longitude)}, ${rounded(latitude)}]`;

const readPositions = (
  values: ReadonlyArray<unknown>,
  label: string,
  reject: Reject,
): ReadonlyArray<GeoPosition> | undefined => {
  const positions: Array<GeoPosition> = [];
  let wrong = 0;
  values.forEach((value, index) => {
    // Only the first wrong position is described: thousands of similar reasons would hide it.
    const rejectFirst = wrong === 0 ? reject : () => undefined;
    const position = readPosition(value, `Position ${index + 1} of the ${label}`, rejectFirst);
    if (position === undefined) wrong++;
    else positions.push(position);
  });
  if (wrong > 1) reject(`The ${label} has ${wrong} wrong positions in all; correct the others likewise.`);
  return wrong === 0 ? positions : undefined;
};

/** A number of degrees from -limit to limit. */
const readDegrees = (value: unknown, limit: number): number | undefined => {
  if (typeof value !== "number" || !(Math.abs(value) <= limit)) return undefined;
  return Math.abs(value) < 1e-100 ? 0 : value;
};

const isSame = (a: GeoPosition, b: GeoPosition): boolean => a[0] === b[0] && a[1] === b[1];

const withoutRepeats = (positions: ReadonlyArray<GeoPosition>): ReadonlyArray<GeoPosition> =>
  positions.filter((position, index) => {
    const previous = positions[index - 1];
    return previous === undefined || !isSame(previous, position);
  });

const rounded = (degrees: number): number => Math.round(degrees * 1e6) / 1e6;
