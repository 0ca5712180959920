/** Joins the dry runs of a file's parts, each of which knows nothing of those before it. */
import type { ImportReport } from "../../data/Resources.ts";

type Result = ImportReport["results"][number];

const noRoom = "The plan has no room for it: delete other locations, or ask for a larger plan.";

/** The external id of a feature, as an import reads it. */
const externalIdOf = (feature: unknown): string | null => {
  const { properties } = (feature ?? {}) as { readonly properties?: { readonly external_id?: unknown } };
  const id = properties?.external_id;
  return typeof id === "string" || typeof id === "number" ? String(id).trim() || null : null;
};

/** The locations that the parts so far would create. */
export class DryRunTally {
  readonly #created = new Set<string>();
  /** The locations that the plan still allows; undefined before the first part. */
  #room: number | undefined;

  /** The report of the next part, as it would be once the parts before it were imported. */
  next(features: ReadonlyArray<unknown>, report: ImportReport): ImportReport {
    this.#room ??= (report.room ?? Infinity) + report.results.filter(isCreated).length;
    const results = report.results.map((result, index) => this.#resultOf(features[index], result));
    const summary = { created: 0, updated: 0, skipped: 0, failed: 0 };
    for (const { status } of results) summary[status] += 1;
    return { ...report, results, summary };
  }

  #resultOf(feature: unknown, result: Result): Result {
    const { id, name, status } = result;
    // A location that is there already is updated, whatever came before.
    if (status === "failed" || id !== undefined) return result;
    const externalId = externalIdOf(feature);
    if (externalId !== null && this.#created.has(externalId))
      return { ...result, status: "updated", reasons: null };
    if (status === "skipped") return result;
    if (this.#room === undefined || this.#room <= 0)
      return { index: result.index, status: "skipped", name, reasons: [noRoom] };
    this.#room -= 1;
    if (externalId !== null) this.#created.add(externalId);
    return { ...result, status: "created" };
  }
}

const isCreated = ({ status }: Result): boolean => status === "created";
