/** Changes of features before they are sent (contract G7). */
import type { ImportEntry } from "../../client/location-files/ImportEntry.ts";

/** The changes that an import makes to every feature. */
export interface FeatureChanges {
  /** Whether a MultiPolygon of several polygons becomes a feature for each of them. */
  readonly isSplit: boolean;
  /** Whether a feature's own `id` becomes its `external_id`. */
  readonly isIdExternal: boolean;
}

/** No changes. */
export const unchanged: FeatureChanges = { isSplit: false, isIdExternal: false };

type Json = { readonly [name: string]: unknown };

const isObject = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const propertiesOf = (feature: Json): Json => (isObject(feature["properties"]) ? feature["properties"] : {});

/** A text or number with a suffix. Another value is left as it is, for the server to refuse. */
const suffixed = (value: unknown, suffix: string): unknown =>
  typeof value === "number" || (typeof value === "string" && value.trim() !== "")
    ? `${String(value).trim()}${suffix}`
    : value;

/** Without its `id`, the feature can be imported again with the same changes. */
const withExternalId = (feature: Json): Json => {
  const { id, ...rest } = feature;
  if (id === undefined || id === null) return feature;
  return { ...rest, properties: { ...propertiesOf(feature), external_id: id } };
};

const splitParts = (feature: Json): ReadonlyArray<Json> => {
  const geometry = feature["geometry"];
  if (!isObject(geometry) || geometry["type"] !== "MultiPolygon") return [feature];
  const polygons: unknown = geometry["coordinates"];
  if (!Array.isArray(polygons) || polygons.length < 2) return [feature];
  const properties = propertiesOf(feature);
  return polygons.map((coordinates: unknown, index) => ({
    ...feature,
    geometry: { ...geometry, type: "Polygon", coordinates },
    properties: {
      ...properties,
      name: suffixed(properties["name"], ` (${index + 1} of ${polygons.length})`),
      external_id: suffixed(properties["external_id"], `#${index + 1}`),
    },
  }));
};

/** The entries that an entry of a file becomes. */
export const changedEntries = (entry: ImportEntry, changes: FeatureChanges): ReadonlyArray<ImportEntry> => {
  if (entry._tag === "Unreadable" || !isObject(entry.feature)) return [entry];
  const feature = changes.isIdExternal ? withExternalId(entry.feature) : entry.feature;
  const parts = changes.isSplit ? splitParts(feature) : [feature];
  if (parts.length === 1) return [{ ...entry, feature: parts[0] }];
  return parts.map((part) => ({ ...entry, feature: part, size: Buffer.byteLength(JSON.stringify(part)) }));
};
