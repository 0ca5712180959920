/** The file of refused features, with the reasons. It can be corrected and imported. */
import { open, rm } from "node:fs/promises";
import type { CsvHead } from "../../client/location-files/CsvReader.ts";
import type { EntryResult } from "../../client/location-files/PartResult.ts";
import type { SurveyedFile } from "./ImportFile.ts";

/** Path of the file of refused features. A dry run has its own, and never overwrites that of an import. */
export const refusedPathOf = (file: Pick<SurveyedFile, "format" | "path">, isDryRun: boolean): string =>
  `${file.path}${isDryRun ? ".dry-run" : ""}.refused.${file.format === "csv" ? "csv" : "geojson"}`;

const isObject = (value: unknown): value is object =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const geoJsonFeature = ({ entry, reasons }: EntryResult): string => {
  if (entry._tag === "Feature" && isObject(entry.feature)) {
    const { refused: _, ...feature } = entry.feature as { readonly refused?: unknown };
    return JSON.stringify({ ...feature, refused: reasons });
  }
  const sent = entry._tag === "Feature" ? entry.feature : entry.text;
  return JSON.stringify({ type: "Feature", geometry: null, properties: null, sent, refused: reasons });
};

const geoJsonFormat = {
  opening: '{"type": "FeatureCollection", "features": [\n',
  closing: "\n]}\n",
  separator: ",\n",
  write: geoJsonFeature,
};

const csvRow = (fields: ReadonlyArray<string>, delimiter: string): string =>
  fields
    .map((field) =>
      /["\r\n]/.test(field) || field.includes(delimiter) ? `"${field.replaceAll('"', '""')}"` : field,
    )
    .join(delimiter);

const reasonsColumn = "refused";

/** A CSV with the columns of the imported file, and one for the reasons unless it has one already. */
const csvFormat = ({ delimiter, fields }: CsvHead) => {
  const index = fields.findIndex((field) => field.trim().toLowerCase() === reasonsColumn);
  const headings = index === -1 ? [...fields, reasonsColumn] : fields;
  return {
    opening: `${csvRow(headings, delimiter)}\n`,
    closing: "\n",
    separator: "\n",
    write: ({ entry, reasons }: EntryResult): string => {
      const row = entry.row ?? [];
      const text = reasons.join(" ");
      const isReplaced = index !== -1 && row.length === fields.length;
      return csvRow(isReplaced ? row.with(index, text) : [...row, text], delimiter);
    },
  };
};

/** Opens the file of refused features. It is truncated to `length`, to drop entries of an unfinished part. */
export const openRefused = async (file: SurveyedFile, isDryRun: boolean, length: number) => {
  const path = refusedPathOf(file, isDryRun);
  const { closing, opening, separator, write } = file.csv === null ? geoJsonFormat : csvFormat(file.csv);
  const handle = await open(path, length === 0 ? "w" : "r+");
  await handle.truncate(length);
  let bytes = length;
  const append = async (text: string): Promise<void> => {
    bytes += (await handle.write(text, bytes)).bytesWritten;
  };
  return {
    path,
    /** Current length of the file, in bytes. */
    length: (): number => bytes,
    /** Adds entries, and syncs them to disk. */
    add: async (entries: ReadonlyArray<EntryResult>): Promise<void> => {
      if (entries.length === 0) return;
      await append((bytes === 0 ? opening : separator) + entries.map(write).join(separator));
      await handle.sync();
    },
    /** Completes the file and returns its path. Removes the file and returns null if nothing was refused. */
    finish: async (): Promise<string | null> => {
      if (bytes > 0) await append(closing);
      await handle.close();
      if (bytes > 0) return path;
      await rm(path, { force: true });
      return null;
    },
    /** Closes the file as it is, so that a resumed import can continue it. */
    close: (): Promise<void> => handle.close(),
  };
};

/** An open file of refused features. */
export type RefusedFile = Awaited<ReturnType<typeof openRefused>>;
