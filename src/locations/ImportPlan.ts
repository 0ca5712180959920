import { counted } from "../wire/Text.ts";
import type { RejectedFeature } from "./GeoJsonImport.ts";
import type { ImportedLocation } from "./ImportedLocation.ts";
import type { FeatureResult, ImportReport } from "./LocationImport.ts";

/** An imported location and the id under which it is created or updated. */
export interface StoredImport {
  readonly id: string;
  readonly location: ImportedLocation;
}

/**
 * The writes of an import, and the result of each feature. Several features with one external id are one
 * write, of the last of them (contract G4, G5).
 */
export interface ImportPlan {
  readonly results: ReadonlyArray<FeatureResult>;
  readonly creations: ReadonlyArray<StoredImport>;
  readonly updates: ReadonlyArray<StoredImport>;
  /** The ids of locations, each with the name of the group that it is added to. */
  readonly memberships: ReadonlyArray<{ readonly group: string; readonly id: string }>;
  /** How many more locations the plan of the workspace allows after it; null for no limit. */
  readonly room: number | null;
}

/** The environment before an import. */
export interface ImportContext {
  /** Ids of the existing locations, by external id. */
  readonly known: ReadonlyMap<string, string>;
  /** The number of existing locations. */
  readonly count: number;
  /** The plan's `max_locations`; null for no limit. */
  readonly limit: number | null;
}

/** Plans the write of each feature, in their order; `makeId` generates the ids of new locations. */
export const planImport = (
  features: ReadonlyArray<ImportedLocation | RejectedFeature>,
  { count, known, limit }: ImportContext,
  makeId: () => string,
): ImportPlan => {
  const created = new Map<string, StoredImport>();
  const updated = new Map<string, StoredImport>();
  const idOf = new Map(known);
  const memberships: Array<ImportPlan["memberships"][number]> = [];

  const results = features.map((feature, index): FeatureResult => {
    const { name } = feature;
    if (feature._tag === "RejectedFeature")
      return { index, status: "failed", name, reasons: feature.reasons };
    const { externalId, group } = feature;
    const existing = externalId === null ? undefined : idOf.get(externalId);
    if (existing === undefined && limit !== null && count + created.size >= limit) {
      return { index, status: "skipped", name, reasons: [overLimit(limit, count + created.size)] };
    }
    const id = existing ?? makeId();
    if (existing === undefined && externalId !== null) idOf.set(externalId, id);
    const isNew = existing === undefined || created.has(id);
    (isNew ? created : updated).set(id, { id, location: feature });
    if (group !== null) memberships.push({ group, id });
    return { index, status: existing === undefined ? "created" : "updated", name, id, reasons: null };
  });
  const room = limit === null ? null : Math.max(0, limit - count - created.size);
  return { results, creations: [...created.values()], updates: [...updated.values()], memberships, room };
};

/** The sentence for more locations than the plan allows. */
export const overLimit = (limit: number, count: number): string =>
  `The plan allows ${counted(limit, "location")} (max_locations) and there are ${count} already; ` +
  "delete some, or ask the operator for a larger plan.";

/** Counts the results by status. */
export const summaryOf = (results: ReadonlyArray<FeatureResult>): ImportReport["summary"] => {
  const summary = { created: 0, updated: 0, skipped: 0, failed: 0 };
  for (const { status } of results) summary[status]++;
  return summary;
};

/** Limits of the rows of one statement, so that encoding it takes the event loop a few milliseconds. */
const maxStatementRows = 2_500;
const maxStatementChars = 1_048_576;

/** Divides rows into those of one statement each. */
export const statementRows = (
  rows: ReadonlyArray<StoredImport>,
): ReadonlyArray<ReadonlyArray<StoredImport>> => {
  const statements: Array<Array<StoredImport>> = [];
  let current: Array<StoredImport> = [];
  let chars = 0;
  for (const row of rows) {
    const added = row.location.rings?.length ?? 0;
    const isFull = current.length === maxStatementRows || chars + added > maxStatementChars;
    if (isFull && current.length > 0) {
      statements.push(current);
      current = [];
      chars = 0;
    }
    current.push(row);
    chars += added;
  }
  if (current.length > 0) statements.push(current);
  return statements;
};
