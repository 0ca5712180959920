/** Shape and groups of a single location, by the rules and reasons of an import (contract LO1–LO3). */
import type { Problems } from "../wire/Problems.ts";
import { fieldSentence } from "../wire/FieldSentence.ts";
import { readRadius, readText } from "./FeatureProperties.ts";
import type { Reject } from "./geometry/FeatureRejection.ts";
import type { RejectedFeature } from "./GeoJsonImport.ts";
import { MIN_RADIUS_METERS } from "./ImportLimits.ts";
import type { ImportedLocation } from "./ImportedLocation.ts";
import type { Geometry, Ring } from "./Location.ts";
import type { LocationResource, SentLocation } from "./LocationResource.ts";

/** The most groups of a location. A request can name each several times. */
const maxGroups = 100;

/** A location's shape as a row stores it. */
export type StoredShape = Pick<
  ImportedLocation,
  "type" | "latitude" | "longitude" | "radiusMeters" | "rings"
>;

/** A sent geometry as an import reads it. */
export type ReadGeometry = ImportedLocation | RejectedFeature;

/** A sent geometry as a feature of an import; its radius is read apart, so that each has its own problems. */
export const geometryFeature = (geometry: unknown) => ({
  type: "Feature",
  geometry,
  properties: { name: "geometry", radius: MIN_RADIUS_METERS },
});

/** Adds a problem for each part of the shape that a PATCH would change. */
export const checkSameShape = (
  location: LocationResource,
  { geometry, radius_meters: radius = location.radius_meters, type = location.type }: Partial<SentLocation>,
  read: ReadGeometry,
  problems: Problems,
): void => {
  const same = {
    geometry: geometry === undefined || isSameGeometry(location.geometry, read),
    type: type === location.type,
    radius_meters: [radius, readRadius(radius, () => undefined)].includes(location.radius_meters),
  };
  const elsewhere =
    "The {field} cannot be changed here: use PUT …/shape, or import it again with the same external_id.";
  for (const [field, isSame] of Object.entries(same))
    if (!isSame) problems.add(field, fieldSentence(elsewhere, [field.replace("_meters", "")]));
};

/** Whether a geometry means the stored one; its rings may begin at other positions. */
const isSameGeometry = (stored: Geometry, read: ReadGeometry): boolean => {
  if (read._tag === "RejectedFeature") return false;
  const { latitude, longitude, rings } = read;
  if (stored.type === "Point")
    return rings === null && stored.coordinates[0] === longitude && stored.coordinates[1] === latitude;
  const sent = (JSON.parse(rings ?? "[]") as ReadonlyArray<Ring>).map(roundText);
  const isTurned = (text: string, index: number) =>
    text.length === sent[index]?.length && text.repeat(2).includes(sent[index]);
  return sent.length === stored.coordinates.length && stored.coordinates.map(roundText).every(isTurned);
};

/** The positions of a ring, each once and with a comma, so that repeated texts have each beginning. */
const roundText = (ring: Ring): string => `${JSON.stringify(ring.slice(1)).slice(1, -1)},`;

/** The sent shape; null if it has a problem. A radius beside a polygon is not read, as in an import. */
export const readShape = (
  { geometry, radius_meters: radius }: Partial<SentLocation>,
  read: ReadGeometry,
  problems: Problems,
): StoredShape | null => {
  const isRejected = read._tag === "RejectedFeature";
  if (isRejected) for (const reason of read.reasons) problems.add("geometry", reason);
  const radiusMeters = isPoint(geometry)
    ? readRadius(radius, rejectAt("radius_meters", problems), "radius_meters")
    : null;
  if (isRejected || radiusMeters === undefined) return null;
  const { latitude, longitude, rings, type } = read;
  return { type, latitude, longitude, rings, radiusMeters: radiusMeters ?? read.radiusMeters };
};

const isPoint = (geometry: unknown): boolean =>
  typeof geometry === "object" && geometry !== null && "type" in geometry && geometry.type === "Point";

const rejectAt =
  (field: string, problems: Problems): Reject =>
  (reason) => {
    problems.add(field, reason);
    return undefined;
  };

/** The sent names of groups, each once; null if they have a problem. */
export const readGroups = (sent: unknown, problems: Problems): ReadonlySet<string> | null => {
  const names = new Set<string>();
  const isList = Array.isArray(sent);
  const isTooLong = isList && sent.length > 10 * maxGroups;
  for (const [index, value] of isList && !isTooLong ? sent.entries() : []) {
    const reject = rejectAt(`groups.${index}`, problems);
    const name = readText(value, "group name", reject, () => reject("A group needs a name; leave null out."));
    if (name !== undefined) names.add(name);
  }
  if (isTooLong || names.size > maxGroups) problems.add("groups", `The groups can be at most ${maxGroups}.`);
  if (!isList) problems.add("groups", "The groups must be a list of names; an empty list is no group.");
  return problems.has("groups") ? null : names;
};
