/**
 * Compares numbers in the documentation with the constants of the code. `figureTable.ts` has the numbers.
 */
import { globSync, readFileSync } from "node:fs";
import { basename } from "node:path";
import type { Finding, SourceFile } from "./finding.ts";

/** A number on a page: the words around it, with `#` for the number itself, and its value in the code. */
export type Figure = readonly [words: string, value: number];

const number = String.raw`(\d(?:[\d,]*\d)?(?:\.\d+)?)`;

/** Matches the words of a figure, however the page wraps or pads them. */
const patternOf = (words: string): RegExp => {
  const text = words.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`).replaceAll(/\s+/g, String.raw`\s+`);
  return new RegExp(`(?<![\\d.,])${text.replace("#", number)}`, "g");
};

/**
 * The figures of a page that differ from the code. The words of a figure must occur; all their occurrences
 * must have its value.
 */
export const figureFindings = (page: SourceFile, figures: ReadonlyArray<Figure>): ReadonlyArray<Finding> =>
  figures.flatMap(([words, value]) => {
    const finding = (index: number, message: string): Finding => ({
      file: page.path,
      line: page.text.slice(0, index).split("\n").length,
      message,
    });
    const found = [...page.text.matchAll(patternOf(words))];
    if (found.length === 0)
      return [finding(0, `"${words}" does not occur: update the words in scripts/check/figureTable.ts.`)];
    return found
      .filter(([, digits = ""]) => Number(digits.replaceAll(",", "")) !== value)
      .map(({ 1: digits = "", index }) =>
        finding(index, `"${words}" is ${digits} here and ${value.toLocaleString("en-US")} in the code.`),
      );
  });

const units: Readonly<Record<string, number>> = {
  millis: 1,
  seconds: 1000,
  minutes: 60_000,
  hours: 3_600_000,
  "Duration.seconds": 1000,
  DAY_MS: 86_400_000,
  MB: 1,
};

/** The value of one factor of an initializer: `10_000`, `minutes`, `64MB`. NaN for anything else. */
const factorOf = (text: string): number => {
  const [, digits = "1", unit = ""] = /^(\d[\d_]*(?:\.\d+)?)?([A-Za-z_.]*)$/.exec(text) ?? [];
  const size = unit === "" ? 1 : (units[unit] ?? units[`${unit}s`] ?? Number.NaN);
  return Number(digits.replaceAll("_", "")) * size;
};

const evaluate = (initializer: string): number =>
  (initializer.match(/[\w.]+/g) ?? ["?"]).reduce((product, factor) => product * factorOf(factor), 1);

const sources = new Map(
  globSync("src/**/*.ts").map((path) => [basename(path), readFileSync(path, "utf8")] as const),
);

/**
 * The value of a private constant or property of a file of src/, by the file's name, which is unique in the
 * repository. Its initializer is a number, a duration, or a product of these. Durations are in milliseconds.
 */
export const constant = (file: string, name: string): number => {
  const initializer = String.raw`(?::\s[\w.]+ =|[=:]|\?\?) ?"?([\w."() *]+?)"?\s*[;,\n}]`;
  const pattern = new RegExp(String.raw`\b${name}(?:: [\w.]+)?\s?${initializer}`, "g");
  const source = file.split("|").find((each) => sources.has(each)) ?? "";
  const values = [...(sources.get(source) ?? "").matchAll(pattern)].map(([, text = ""]) => evaluate(text));
  const value = values.find(Number.isFinite);
  if (value !== undefined) return value;
  throw new Error(`src/ has no numeric constant ${name} in ${file}: update scripts/check/figureTable.ts.`);
};

/** The pause between two runs of a background job, in milliseconds. */
export const jobPause = (job: string): number => {
  const call = new RegExp(`Worker\\.every\\("${job}", "([^"]+)"`);
  const [pause] = [...sources.values()].flatMap((source) => call.exec(source)?.[1] ?? []);
  if (pause !== undefined) return evaluate(pause);
  throw new Error(`src/ has no job ${job} with a pause: update scripts/check/figureTable.ts.`);
};

type Json = { readonly [key: string]: Json } | number | undefined;

/** A limit of a field of an OpenAPI document, such as `maxLength` of `CampaignDraft.name`. */
export const schemaLimit = (document: string, field: string, limit: string): number => {
  const [schema = "", ...path] = field.split(".");
  const { components } = JSON.parse(readFileSync(`openapi/${document}.json`, "utf8")) as {
    readonly components: { readonly schemas: Readonly<Record<string, Json>> };
  };
  const inside = (json: Json, key: string): Json => (typeof json === "object" ? json[key] : undefined);
  const found = path.reduce(
    (json, key) => inside(inside(json, "properties"), key),
    components.schemas[schema],
  );
  const value = inside(found, limit) ?? inside(inside(inside(found, "anyOf"), "0"), limit);
  if (typeof value === "number") return value;
  throw new Error(
    `openapi/${document}.json has no ${limit} of ${field}: update scripts/check/figureTable.ts.`,
  );
};
