/** The formats of files of locations, without their readers. */

/** The formats of files of locations. */
export const importFormats = ["geojson", "ndjson", "csv"] as const;
/** A format of a file of locations. */
export type ImportFormat = (typeof importFormats)[number];

/** The format that an extension names. */
export const formatByExtension: Readonly<Record<string, ImportFormat>> = {
  ".csv": "csv",
  ".tsv": "csv",
  ".ndjson": "ndjson",
  ".jsonl": "ndjson",
  ".ndgeojson": "ndjson",
  ".geojsonl": "ndjson",
  ".geojsons": "ndjson",
  ".geojsonseq": "ndjson",
};

/** The extensions of files of locations. A file with another one is recognized by its content. */
export const locationFileExtensions: ReadonlyArray<string> = [
  ".geojson",
  ".json",
  ...Object.keys(formatByExtension),
];

/** The delimiter of a CSV: comma, semicolon or tab, whichever is most frequent in its first line. */
export const delimiterOf = (opening: string): string => {
  const [line = ""] = opening.trimStart().split(/[\r\n]/, 1);
  const count = (delimiter: string): number => line.split(delimiter).length;
  return [",", ";", "\t"].reduce((best, each) => (count(each) > count(best) ? each : best), ",");
};
