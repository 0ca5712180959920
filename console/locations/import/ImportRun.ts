/** Sends the features of a file in parts: first as a dry run, then to import them. */
import { platform } from "../../data/Api.ts";
import { ApiProblem, send } from "../../data/ApiCall.ts";
import type { ImportReport } from "../../data/Resources.ts";
import { centreOf, type Point } from "../../parts/map/Shapes.ts";
import { partsOf, readLocationFile } from "../../../src/client/location-files/LocationFile.ts";
import { featuresOf, type ImportCounts, partResult } from "../../../src/client/location-files/PartResult.ts";
import { DryRunTally } from "./DryRunTally.ts";

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
const partBytes = 8 * 1_048_576;
const retryMillis = 3_000;

const sliceBytes = 262_144;

/** The bytes of a file in slices, so that a file of any size takes little memory. */
async function* slicesOf(file: Blob): AsyncGenerator<Uint8Array> {
  for (let start = 0; start < file.size; start += sliceBytes)
    yield new Uint8Array(await file.slice(start, start + sliceBytes).arrayBuffer());
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
      const collection = { type: "FeatureCollection", features } as const;
      const options = isDryRun ? { dryRun: true } : { idempotencyKey: `${id}-${first}` };
      return (await send(platform.locations.import(collection, { ...options, signal }))).data;
    } catch (error) {
      if (!(error instanceof ApiProblem) || !error.isTemporary) throw error;
      await pause(retryMillis);
      signal.throwIfAborted();
    }
  }
};

/** Runs the file. @throws ImportFileBroken, ApiProblem */
export const runImport = async (options: RunOptions): Promise<void> => {
  const { file, isDryRun, onPart, skip } = options;
  const tally = new DryRunTally();
  const limits = { features: isDryRun ? dryRunFeatures : importFeatures, bytes: partBytes };
  let done = 0;
  for await (const part of partsOf(readLocationFile(slicesOf(file), { name: file.name }), limits)) {
    const rest = part.slice(Math.max(0, skip - done));
    done += part.length;
    if (rest.length === 0) continue;
    const first = done - rest.length + 1;
    const features = featuresOf(rest);
    const sent = features.length === 0 ? null : await sendPart(features, options, first);
    const report = sent !== null && isDryRun ? tally.next(features, sent) : sent;
    options.signal.throwIfAborted();
    const { counts, results } = partResult(rest, report);
    const outcomes = results.map(({ entry, name, reasons }, index) => {
      const feature = entry._tag === "Feature" ? entry.feature : null;
      return { number: first + index, name: name ?? nameOf(feature), at: positionOf(feature), reasons };
    });
    onPart({ done, counts, outcomes });
  }
};
