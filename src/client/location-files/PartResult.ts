/** The result of a part of a file of locations. */
import type { ImportEntry } from "./ImportEntry.ts";
import type { ImportPart } from "./LocationFile.ts";

/** The number of features by result. */
export interface ImportCounts {
  readonly created: number;
  readonly updated: number;
  readonly skipped: number;
  readonly failed: number;
}

/** The counts before anything was imported. */
export const noCounts: ImportCounts = { created: 0, updated: 0, skipped: 0, failed: 0 };

/** The sum of two counts. */
export const addCounts = (a: ImportCounts, b: ImportCounts): ImportCounts => ({
  created: a.created + b.created,
  updated: a.updated + b.updated,
  skipped: a.skipped + b.skipped,
  failed: a.failed + b.failed,
});

/** The parts of the server's report that a result is made of. */
export interface SentReport {
  readonly summary: ImportCounts;
  readonly results: ReadonlyArray<{
    readonly name: string | null;
    readonly reasons: ReadonlyArray<string> | null;
  }>;
}

/** The result of one entry. */
export interface EntryResult {
  readonly entry: ImportEntry;
  /** The name that the server read; null if there is none. */
  readonly name: string | null;
  /** Sentences why it is refused; empty if it is accepted. */
  readonly reasons: ReadonlyArray<string>;
}

/** The features of a part that are sent. */
export const featuresOf = (part: ImportPart): ReadonlyArray<unknown> =>
  part.flatMap((entry) => (entry._tag === "Feature" ? [entry.feature] : []));

/** The counts and results of a part, in its order. `report` is null if the part has no feature to send. */
export const partResult = (part: ImportPart, report: SentReport | null) => {
  const sent = report?.results.values();
  const results = part.map((entry): EntryResult => {
    if (entry._tag === "Unreadable") return { entry, name: null, reasons: entry.reasons };
    const { name = null, reasons = null } = sent?.next().value ?? {};
    return { entry, name, reasons: reasons ?? [] };
  });
  const failed = part.filter(({ _tag }) => _tag === "Unreadable").length;
  return { counts: addCounts(report?.summary ?? noCounts, { ...noCounts, failed }), results };
};
