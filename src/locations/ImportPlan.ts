import { counted } from "../wire/Text.ts";
import { boundingCircle } from "./geometry/BoundingCircle.ts";
import { type ParsedFeature, readFeature, type Refused } from "./GeoJsonImport.ts";
import type { Ring, ShapeType } from "./Location.ts";
import type { FeatureResult, ImportReport } from "./LocationImport.ts";

/** A place as a row keeps it: a circle, or a polygon's rings and a circle around them. */
export interface ImportedLocation extends Pick<ParsedFeature, "_tag" | "name" | "externalId" | "group"> {
  readonly type: ShapeType;
  readonly latitude: number;
  readonly longitude: number;
  readonly radiusMeters: number;
  readonly rings: ReadonlyArray<Ring> | null;
}

/** Reads one feature, whatever it is; never throws. */
export const importedLocation = (feature: unknown): ImportedLocation | Refused => {
  const read = readFeature(feature);
  if (read._tag === "Refused") return read;
  const { _tag, externalId, group, name, shape } = read;
  if (shape.type === "polygon") {
    const rings = shape.geometry.coordinates;
    return { _tag, name, externalId, group, type: shape.type, rings, ...boundingCircle(shape.geometry) };
  }
  const [longitude, latitude] = shape.geometry.coordinates;
  const { radiusMeters, type } = shape;
  return { _tag, name, externalId, group, type, latitude, longitude, radiusMeters, rings: null };
};

/** A place and the id of the location that it makes or changes. */
export interface StoredImport {
  readonly id: string;
  readonly place: ImportedLocation;
}

/** What an import is to write: each location once, as the last feature that means it has it (contract G4, G5). */
export interface ImportPlan {
  readonly results: ReadonlyArray<FeatureResult>;
  readonly creations: ReadonlyArray<StoredImport>;
  readonly updates: ReadonlyArray<StoredImport>;
  /** Locations by the name of the group that they are added to. */
  readonly memberships: ReadonlyArray<{ readonly group: string; readonly id: string }>;
}

/** What an import finds. */
export interface ImportContext {
  /** Ids of the locations that are there, by external id. */
  readonly known: ReadonlyMap<string, string>;
  /** How many locations are there. */
  readonly held: number;
  /** The plan's `max_locations`; null for none. */
  readonly limit: number | null;
}

/** Decides what becomes of each feature, in their order; `makeId` gives the ids of new locations. */
export const planImport = (
  features: ReadonlyArray<ImportedLocation | Refused>,
  { held, known, limit }: ImportContext,
  makeId: () => string,
): ImportPlan => {
  const created = new Map<string, StoredImport>();
  const updated = new Map<string, StoredImport>();
  const idOf = new Map(known);
  const memberships: Array<ImportPlan["memberships"][number]> = [];

  const results = features.map((feature, index): FeatureResult => {
    const { name } = feature;
    if (feature._tag === "Refused") return { index, status: "failed", name, reasons: feature.reasons };
    const { externalId, group } = feature;
    const there = externalId === null ? undefined : idOf.get(externalId);
    if (there === undefined && limit !== null && held + created.size >= limit) {
      return { index, status: "skipped", name, reasons: [overLimit(limit, held + created.size)] };
    }
    const id = there ?? makeId();
    if (there === undefined && externalId !== null) idOf.set(externalId, id);
    const isNew = there === undefined || created.has(id);
    (isNew ? created : updated).set(id, { id, place: feature });
    if (group !== null) memberships.push({ group, id });
    return { index, status: there === undefined ? "created" : "updated", name, id, reasons: null };
  });
  return { results, creations: [...created.values()], updates: [...updated.values()], memberships };
};

const overLimit = (limit: number, held: number): string =>
  `The plan allows ${counted(limit, "location")} (max_locations) and there are ${held} already; ` +
  "delete some, or ask the operator for a larger plan.";

/** Counts the results by status. */
export const summaryOf = (results: ReadonlyArray<FeatureResult>): ImportReport["summary"] => {
  const summary = { created: 0, updated: 0, skipped: 0, failed: 0 };
  for (const { status } of results) summary[status]++;
  return summary;
};
