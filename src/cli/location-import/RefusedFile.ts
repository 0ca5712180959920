/** The features of a file that were refused, with the reasons, in a file that can be mended and imported. */
import { open, rm } from "node:fs/promises";
import { csvRow } from "./CsvRows.ts";
import type { ImportEntry } from "./ImportEntry.ts";
import type { SurveyedFile } from "./ImportFile.ts";

/** A feature and why it was refused, in sentences. */
export interface RefusedEntry {
  readonly entry: ImportEntry;
  readonly reasons: ReadonlyArray<string>;
}

/** Where the refused features of a file are; those of a dry run leave alone what an import wrote. */
export const refusedPathOf = (file: Pick<SurveyedFile, "format" | "path">, isDryRun: boolean): string =>
  `${file.path}${isDryRun ? ".dry-run" : ""}.refused.${file.format === "csv" ? "csv" : "geojson"}`;

const isObject = (value: unknown): value is object =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const asFeature = ({ entry, reasons }: RefusedEntry): string => {
  if (entry._tag === "Feature" && isObject(entry.feature)) {
    const { refused: _, ...feature } = entry.feature as { readonly refused?: unknown };
    return JSON.stringify({ ...feature, refused: reasons });
  }
  const sent = entry._tag === "Feature" ? entry.feature : entry.text;
  return JSON.stringify({ type: "Feature", geometry: null, properties: null, sent, refused: reasons });
};

const column = "refused";

/** Opens the file of refused features at that length: nothing of a part that was not finished stays in it. */
export const openRefused = async (file: SurveyedFile, isDryRun: boolean, length: number) => {
  const path = refusedPathOf(file, isDryRun);
  const { head } = file;
  const delimiter = head?.delimiter ?? ",";
  const width = head?.fields.length ?? 0;
  const reasonsAt = head?.fields.findIndex((field) => field.trim().toLowerCase() === column) ?? -1;
  const handle = await open(path, length === 0 ? "w" : "r+");
  await handle.truncate(length);
  let bytes = length;

  const write = async (text: string): Promise<void> => {
    const { bytesWritten } = await handle.write(text, bytes);
    bytes += bytesWritten;
  };

  const row = ({ entry, reasons }: RefusedEntry): string => {
    const fields = [...(entry.row ?? [])];
    // Of a file that was refused and mended the column is there already.
    if (reasonsAt !== -1 && fields.length === width) fields[reasonsAt] = reasons.join(" ");
    else fields.push(reasons.join(" "));
    return `${csvRow(fields, delimiter)}\n`;
  };

  return {
    path,
    /** How long it is, in bytes. */
    length: (): number => bytes,
    /** Adds features, and sees that they are on disk. */
    add: async (places: ReadonlyArray<RefusedEntry>): Promise<void> => {
      if (places.length === 0) return;
      if (file.format === "csv") {
        const heading = reasonsAt === -1 ? [...(head?.fields ?? []), column] : (head?.fields ?? []);
        const first = bytes === 0 ? `${csvRow(heading, delimiter)}\n` : "";
        await write(first + places.map(row).join(""));
      } else {
        const first = bytes === 0 ? '{"type": "FeatureCollection", "features": [\n' : ",\n";
        await write(first + places.map(asFeature).join(",\n"));
      }
      await handle.sync();
    },
    /** Makes it whole, or removes it when nothing was refused. Tells its path, or null. */
    finish: async (): Promise<string | null> => {
      if (bytes > 0 && file.format !== "csv") await write("\n]}\n");
      await handle.close();
      if (bytes > 0) return path;
      await rm(path, { force: true });
      return null;
    },
    /** Leaves it as it is, for an import that will go on. */
    close: (): Promise<void> => handle.close(),
  };
};

/** A file of refused features that is open. */
export type RefusedFile = Awaited<ReturnType<typeof openRefused>>;
