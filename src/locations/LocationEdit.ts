/** Shape and groups of a change of a location, by the rules and reasons of an import (contract CO2). */
import type { Problems } from "../wire/Problems.ts";
import { readRadius, readText } from "./FeatureProperties.ts";
import type { RejectedFeature } from "./GeoJsonImport.ts";
import { MIN_RADIUS_METERS } from "./ImportLimits.ts";
import type { ImportedLocation } from "./ImportedLocation.ts";
import type { Geometry } from "./Location.ts";
import type { SentLocationPatch, LocationResource } from "./LocationResource.ts";

/** The most groups of one change, as sent. */
const maxGroups = 1000;

/** A location's shape as a row stores it. */
export type StoredShape = Pick<
  ImportedLocation,
  "type" | "latitude" | "longitude" | "radiusMeters" | "rings"
>;

/** A sent geometry as a feature of an import; its radius is read apart, so that each has its own problems. */
export const geometryFeature = (geometry: unknown) => ({
  type: "Feature",
  geometry,
  properties: { name: "geometry", radius: MIN_RADIUS_METERS },
});

/**
 * The shape after a change; null if it stays, or has a problem. `read` is the sent geometry as an import
 * reads it; null without one.
 */
export const changedShape = (
  location: LocationResource,
  { geometry, radius_meters, type }: Partial<SentLocationPatch>,
  read: ImportedLocation | RejectedFeature | null,
  problems: Problems,
): StoredShape | null => {
  const isKept = read === null || isSameGeometry(geometry, location.geometry);
  const shape = isKept
    ? keptGeometry(location, radius_meters, geometry !== undefined, problems)
    : sentGeometry(read, isPoint(geometry), radius_meters, problems);
  const next = (shape ?? location).type;
  if (type !== undefined && type !== next && !problems.has("geometry"))
    problems.add(
      "type",
      "The type cannot be changed here: it is that of the geometry. Send another geometry, or change it by " +
        "importing the location again with its external id. Leave the type out.",
    );
  return shape;
};

const keptGeometry = (
  { geometry, radius_meters }: LocationResource,
  radius: unknown,
  isSent: boolean,
  problems: Problems,
): StoredShape | null => {
  if (radius === undefined || radius === radius_meters) return null;
  if (geometry.type === "Polygon") {
    // As in an import, a radius beside a Polygon is not read.
    if (!isSent) problems.add("radius_meters", "A polygon has no radius; leave it out, or send a Point.");
    return null;
  }
  const [longitude, latitude] = geometry.coordinates;
  const radiusMeters = sentRadius(radius, problems);
  return radiusMeters === undefined
    ? null
    : { type: "circle", latitude, longitude, radiusMeters, rings: null };
};

const sentGeometry = (
  read: ImportedLocation | RejectedFeature,
  isCircle: boolean,
  radius: unknown,
  problems: Problems,
): StoredShape | null => {
  const isRejected = read._tag === "RejectedFeature";
  if (isRejected) for (const reason of read.reasons) problems.add("geometry", reason);
  // Whether a geometry that cannot be read needs a radius is not known.
  const isRadiusRead = isCircle && (radius !== undefined || !isRejected);
  const radiusMeters = isRadiusRead ? sentRadius(radius, problems) : undefined;
  if (isRejected || (isCircle && radiusMeters === undefined)) return null;
  const { latitude, longitude, rings, type } = read;
  return { type, latitude, longitude, rings, radiusMeters: radiusMeters ?? read.radiusMeters };
};

const sentRadius = (radius: unknown, problems: Problems) =>
  readRadius(
    radius,
    (reason) => {
      problems.add("radius_meters", reason);
      return undefined;
    },
    "radius_meters",
  );

const isPoint = (geometry: unknown): boolean =>
  typeof geometry === "object" && geometry !== null && "type" in geometry && geometry.type === "Point";

/** Whether a sent geometry equals the stored one; only `type` and `coordinates` are compared. */
const isSameGeometry = (sent: unknown, stored: Geometry): boolean => {
  if (typeof sent !== "object" || sent === null) return false;
  const { coordinates, type } = sent as { readonly coordinates?: unknown; readonly type?: unknown };
  return type === stored.type && isSame(coordinates, stored.coordinates);
};

const isSame = (sent: unknown, stored: unknown): boolean => {
  if (!Array.isArray(stored)) return sent === stored;
  if (!Array.isArray(sent) || sent.length !== stored.length) return false;
  return stored.every((each, index) => isSame(sent[index], each));
};

/** The names of the groups after a change; null if they stay, or have a problem. */
export const changedGroups = (
  { groups }: LocationResource,
  sent: unknown,
  problems: Problems,
): ReadonlySet<string> | null => {
  if (sent === undefined) return null;
  if (!Array.isArray(sent) || sent.length > maxGroups) {
    const sentence = Array.isArray(sent)
      ? "The groups can have at most 1,000 names."
      : "The groups must be a list of names; an empty list takes the location out of all groups.";
    problems.add("groups", sentence);
    return null;
  }
  const names = new Set<string>();
  sent.forEach((value: unknown, index) => {
    const reject = (reason: string) => {
      problems.add(`groups.${index}`, reason);
      return undefined;
    };
    const name = readText(value, "group name", reject, () => reject("A group needs a name; leave null out."));
    if (name !== undefined) names.add(name);
  });
  const isKept = names.size === groups.length && groups.every((name) => names.has(name));
  return isKept || problems.has("groups") ? null : names;
};
