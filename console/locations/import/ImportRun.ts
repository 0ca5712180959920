/** Sends the features of a file in parts: first as a dry run, then to import them. */
import { ApiProblem, platform } from "../../data/ApiCall.ts";
import type { ImportReport, One } from "../../data/Resources.ts";
import { centreOf, type Point } from "../../parts/map/Shapes.ts";
import { readCsv } from "./CsvEntries.ts";
import { type EntryReader, type FileEntry, readLines, textOf } from "./FileEntries.ts";
import { readGeoJson } from "./GeoJsonEntries.ts";

/** How many features had which result. */
export interface ImportCounts {
  readonly created: number;
  readonly updated: number;
  readonly skipped: number;
  readonly failed: number;
}

/** A feature with its result. */
export interface FeatureOutcome {
  readonly number: number;
  readonly name: string | null;
  /** Null if it has no coordinates that can be shown. */
  readonly at: Point | null;
  /** Empty if it is accepted. */
  readonly reasons: ReadonlyArray<string>;
}

/** The result of a part. */
export interface PartResult {
  /** The features of the file up to the end of this part. */
  readonly done: number;
  readonly counts: ImportCounts;
  readonly outcomes: ReadonlyArray<FeatureOutcome>;
}

/** A dry run sends the most that an import takes, so that the limits of the plan are found exactly. */
const dryRunFeatures = 10_000;
/** An import shows its progress after so many features. */
const importFeatures = 1_000;
const maxPartBytes = 8 * 1_048_576;
const retryMillis = 3_000;

/** The counts before anything was imported. */
export const noCounts: ImportCounts = { created: 0, updated: 0, skipped: 0, failed: 0 };

/** The sum of two counts. */
export const addCounts = (a: ImportCounts, b: ImportCounts): ImportCounts => ({
  created: a.created + b.created,
  updated: a.updated + b.updated,
  skipped: a.skipped + b.skipped,
  failed: a.failed + b.failed,
});

const readerOf = (name: string): EntryReader => {
  if (/\.(?:csv|tsv|txt)$/i.test(name)) return readCsv;
  return /\.(?:geojsonl|geojsonseq|geojsons|jsonl|ndjson)$/i.test(name) ? readLines : readGeoJson;
};

async function* partsOf(file: File, maxFeatures: number): AsyncGenerator<ReadonlyArray<FileEntry>> {
  let part: Array<FileEntry> = [];
  let bytes = 0;
  for await (const entry of readerOf(file.name)(textOf(file))) {
    if (part.length === maxFeatures || (part.length > 0 && bytes + entry.size > maxPartBytes)) {
      yield part;
      [part, bytes] = [[], 0];
    }
    part.push(entry);
    bytes += entry.size;
  }
  if (part.length > 0) yield part;
}

const isPoint = (value: unknown): value is Point =>
  Array.isArray(value) &&
  value.slice(0, 2).every((each) => typeof each === "number" && Number.isFinite(each)) &&
  Math.abs(Number(value[0])) <= 180 &&
  Math.abs(Number(value[1])) <= 90;

/** The position of a feature, whatever else is wrong with it. */
const positionOf = (feature: unknown): Point | null => {
  const { geometry } = (feature ?? {}) as { readonly geometry?: { readonly coordinates?: unknown } | null };
  let coordinates = geometry?.coordinates;
  if (isPoint(coordinates)) return coordinates;
  while (Array.isArray(coordinates) && Array.isArray(coordinates[0]) && Array.isArray(coordinates[0][0]))
    coordinates = coordinates[0];
  if (!Array.isArray(coordinates)) return null;
  const ring = coordinates.filter(isPoint);
  if (ring.length === 0) return null;
  return centreOf({ geometry: { type: "Polygon", coordinates: [ring] }, radius_meters: null });
};

const nameOf = (feature: unknown): string | null => {
  const { properties } = (feature ?? {}) as { readonly properties?: { readonly name?: unknown } | null };
  return typeof properties?.name === "string" ? properties.name : null;
};

/** Parameters of a run. */
export interface RunOptions {
  readonly file: File;
  readonly isDryRun: boolean;
  /** Features at the start of the file that were imported before. */
  readonly skip: number;
  /** The id of the import: a part is sent under the same key when it is sent again. */
  readonly id: string;
  readonly signal: AbortSignal;
  readonly onPart: (result: PartResult) => void;
}

const pause = (millis: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, millis));

/** Sends a part; while the server is away or busy, again and again. @throws ApiProblem */
const sendPart = async (
  features: ReadonlyArray<unknown>,
  { id, isDryRun, signal }: RunOptions,
  first: number,
): Promise<ImportReport> => {
  for (;;) {
    try {
      const { body } = await platform<One<ImportReport>>(`/locations/import${isDryRun ? "?dry_run=1" : ""}`, {
        method: "POST",
        json: { type: "FeatureCollection", features },
        ...(isDryRun ? {} : { idempotencyKey: `${id}-${first}` }),
        signal,
      });
      return body.data;
    } catch (error) {
      if (!(error instanceof ApiProblem) || !error.isTemporary) throw error;
      await pause(retryMillis);
      signal.throwIfAborted();
    }
  }
};

/** Runs the file. @throws FileBroken, ApiProblem */
export const runImport = async (options: RunOptions): Promise<void> => {
  const { file, isDryRun, onPart, skip } = options;
  let done = 0;
  for await (const part of partsOf(file, isDryRun ? dryRunFeatures : importFeatures)) {
    const rest = part.filter(({ number }) => number > skip);
    done = part.at(-1)?.number ?? done;
    if (rest.length === 0) continue;
    const sent = rest.filter(({ reason }) => reason === null);
    const features = sent.map(({ feature }) => feature);
    const report = sent.length === 0 ? null : await sendPart(features, options, rest[0]?.number ?? 0);
    options.signal.throwIfAborted();
    const results = new Map(sent.map((entry, index) => [entry, report?.results[index]]));
    onPart({
      done,
      counts: addCounts(report?.summary ?? noCounts, { ...noCounts, failed: rest.length - sent.length }),
      outcomes: rest.map((entry) => ({
        number: entry.number,
        name: results.get(entry)?.name ?? nameOf(entry.feature),
        at: positionOf(entry.feature),
        reasons: entry.reason === null ? (results.get(entry)?.reasons ?? []) : [entry.reason],
      })),
    });
  }
};
