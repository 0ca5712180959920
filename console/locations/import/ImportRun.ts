/** Sends the features of a file in parts: first as a dry run, then to import them. */
import { platform } from "../../data/Api.ts";
import { ApiProblem, send } from "../../data/ApiCall.ts";
import type { ImportReport } from "../../data/Resources.ts";
import { centreOf, type Point } from "../../parts/map/Shapes.ts";
import type { TableEntry } from "./ImportTable.ts";
import { partsOf, readLocationFile } from "../../../src/client/location-files/LocationFile.ts";
import { featuresOf, type ImportCounts, partResult } from "../../../src/client/location-files/PartResult.ts";
import { DryRunTally } from "./DryRunTally.ts";

/** A feature with its result. */
export interface FeatureOutcome {
  /** The number of the feature in the file, or of the row in its spreadsheet. */
  readonly number: number;
  readonly externalId: string | null;
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
  /** The ids of the locations that it has created. */
  readonly created: ReadonlyArray<string>;
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

/** A text of a feature's properties. */
const textOf = (feature: unknown, name: "name" | "external_id"): string | null => {
  const { properties } = (feature ?? {}) as { readonly properties?: { readonly [name]?: unknown } | null };
  const text = properties?.[name];
  return typeof text === "string" ? text : null;
};

/** Reasons about features as sentences about rows. */
const rowReasons: ReadonlyArray<readonly [reason: RegExp, sentence: string]> = [
  [/^A feature needs a name: .*$/, "The row has no name."],
  [/^A Point needs a radius: .*$/, "The row has no radius: give one, or a radius for all rows without."],
  [/^The Point has (latitude|longitude) null; it must be .*$/, "The row has no $1."],
  [
    /^The Point has (latitude|longitude) (.*); it must be a number ([^.]*)\..*$/,
    "The $1 $2 must be a number $3.",
  ],
  [/\bthis feature\b/g, "this row"],
];

const rowReason = (reason: string): string =>
  rowReasons.reduce((text, [pattern, sentence]) => text.replace(pattern, sentence), reason);

/** Parameters of a run. */
export interface RunOptions {
  readonly file: File;
  /** The rows of a table; undefined for a file of features. */
  readonly rows?: ReadonlyArray<TableEntry> | undefined;
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

/** The rows of a table in batches, which keep no other task waiting. */
async function* batchesOf(rows: ReadonlyArray<TableEntry>): AsyncGenerator<ReadonlyArray<TableEntry>> {
  for (let start = 0; start < rows.length; start += importFeatures)
    yield rows.slice(start, start + importFeatures);
}

/** Runs the file. @throws ImportFileBroken, ApiProblem */
export const runImport = async (options: RunOptions): Promise<void> => {
  const { file, isDryRun, onPart, rows, skip } = options;
  const tally = new DryRunTally();
  const limits = { features: isDryRun ? dryRunFeatures : importFeatures, bytes: partBytes };
  let done = 0;
  const entries =
    rows === undefined ? readLocationFile(slicesOf(file), { name: file.name }) : batchesOf(rows);
  for await (const part of partsOf(entries, limits)) {
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
      return {
        number: rows?.[first + index - 1]?.number ?? first + index,
        externalId: textOf(feature, "external_id"),
        name: name ?? textOf(feature, "name"),
        at: positionOf(feature),
        reasons: rows === undefined ? reasons : reasons.map(rowReason),
      };
    });
    const created = (report?.results ?? []).flatMap(({ id, status }) =>
      !isDryRun && status === "created" && id !== undefined ? [id] : [],
    );
    onPart({ done, counts, outcomes, created });
  }
};
