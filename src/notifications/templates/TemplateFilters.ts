import { codePoints } from "../../wire/CodePoints.ts";
import { formatDate, instantOf } from "./TemplateDates.ts";
import { lengthOf, sizeOf, type TemplateRun, type TemplateValue, textOf } from "./TemplateRun.ts";

type Values = ReadonlyArray<TemplateValue>;

/** A filter: its implementation, and how many arguments it takes. */
export interface TemplateFilter {
  readonly apply: (run: TemplateRun, value: TemplateValue, args: Values) => TemplateValue;
  readonly arguments: readonly [min: number, max: number];
  /**
   * How many characters of the value and the arguments are one more step: what a call on 8 KiB costs must not
   * be hidden behind one step. Infinity where the cost does not depend on the length.
   */
  readonly charactersPerStep: number;
  /** How many steps a call is, whatever the length; 1 if left out. */
  readonly steps?: number;
}

/** For filters that read a text once, and for those that make many parts of it. */
const [perCharacter, perPart] = [16, 4];

const escapes: { readonly [character: string]: string } = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&#34;",
  "'": "&#39;",
};

const numberOf = (value: TemplateValue): number => Number(value) || 0;

const onText = (
  apply: (text: string, run: TemplateRun, args: Values) => string,
  [min, max]: readonly [number, number] = [0, 0],
  charactersPerStep = perCharacter,
): TemplateFilter => ({
  arguments: [min, max],
  charactersPerStep,
  steps: charactersPerStep === perPart ? 3 : 1,
  apply: (run, value, args) => apply(textOf(value), run, args),
});

/** A result that is no number, as after a division by zero, is missing: people never read "NaN". */
const onNumbers = (apply: (left: number, right: number) => number): TemplateFilter => ({
  arguments: [1, 1],
  charactersPerStep: perCharacter,
  apply: (_, value, [argument]) => {
    const result = apply(numberOf(value), numberOf(argument));
    return Number.isFinite(result) ? result : null;
  },
});

const joined = (run: TemplateRun, first: string, second: string): string => {
  run.allow(first.length + second.length);
  return first + second;
};

const replaced = (run: TemplateRun, text: string, pattern: string, replacement: string): string => {
  const parts = text.split(pattern);
  run.allow(text.length + (parts.length - 1) * (replacement.length - pattern.length));
  return parts.join(replacement);
};

const truncated = (text: string, max: number, ellipsis: string): string => {
  if (text.length <= max) return text;
  const characters = Array.from(text);
  if (characters.length <= max) return text;
  return characters.slice(0, Math.max(0, max - codePoints(ellipsis))).join("") + ellipsis;
};

const shifted = (number: number, exponent: number): number => {
  const [mantissa, power = "0"] = String(number).split("e");
  return Number(`${mantissa}e${Number(power) + exponent}`);
};

const rounded = (number: number, digits: number): number => {
  const scaled = shifted(Math.abs(number), digits);
  // Also for NaN.
  if (!(scaled <= Number.MAX_SAFE_INTEGER)) return number;
  const result = shifted(Math.round(scaled), -digits);
  return number < 0 ? -result : result;
};

/** The filters that templates can use (contract O1.4). They do what those of Liquid do. */
export const templateFilters: ReadonlyMap<string, TemplateFilter> = new Map<string, TemplateFilter>([
  [
    "default",
    {
      arguments: [0, 1],
      charactersPerStep: Infinity,
      apply: (_, value, [other, keepsFalse]) => {
        if (value === false && keepsFalse === true) return false;
        const isEmpty = value === null || value === undefined || value === false || value === "";
        return isEmpty || (typeof value === "object" && value.length === 0) ? other : value;
      },
    },
  ],
  ["upcase", onText((text, run) => limited(run, text.toUpperCase()))],
  ["downcase", onText((text, run) => limited(run, text.toLowerCase()))],
  ["capitalize", onText((text) => text.charAt(0).toUpperCase() + text.slice(1).toLowerCase())],
  ["append", onText((text, run, [other]) => joined(run, text, textOf(other)), [1, 1], Infinity)],
  ["prepend", onText((text, run, [other]) => joined(run, textOf(other), text), [1, 1], Infinity)],
  [
    "replace",
    onText(
      (text, run, [pattern, replacement]) => replaced(run, text, textOf(pattern), textOf(replacement)),
      [1, 2],
      perPart,
    ),
  ],
  ["remove", onText((text, run, [pattern]) => replaced(run, text, textOf(pattern), ""), [1, 1], perPart)],
  ["strip", onText((text) => text.trim())],
  [
    "truncate",
    onText(
      (text, run, [max = 50, ellipsis = "..."]) =>
        limited(run, truncated(text, numberOf(max), textOf(ellipsis))),
      [0, 2],
      perPart,
    ),
  ],
  [
    "size",
    {
      arguments: [0, 0],
      charactersPerStep: perCharacter,
      apply: (_, value) => sizeOf(value) ?? 0,
    },
  ],
  ["plus", onNumbers((left, right) => left + right)],
  ["minus", onNumbers((left, right) => left - right)],
  ["times", onNumbers((left, right) => left * right)],
  ["divided_by", onNumbers((left, right) => left / right)],
  [
    "round",
    {
      arguments: [0, 1],
      charactersPerStep: perCharacter,
      steps: 8,
      apply: (_, value, [digits]) => rounded(numberOf(value), numberOf(digits)),
    },
  ],
  [
    "date",
    {
      arguments: [1, 1],
      charactersPerStep: 1,
      steps: 30,
      apply: (run, value, [format]) => {
        const instant = instantOf(value, run.values.now);
        return instant === null ? value : limited(run, formatDate(instant, textOf(format)));
      },
    },
  ],
  [
    "url_encode",
    onText(
      (text, run) => limited(run, encodeURIComponent(text.toWellFormed()).replaceAll("%20", "+")),
      [0, 0],
      perPart,
    ),
  ],
  [
    "escape",
    onText(
      (text, run) =>
        limited(
          run,
          text.replace(/[&<>"']/g, (character) => escapes[character] ?? character),
        ),
      [0, 0],
      perPart,
    ),
  ],
]);

const limited = (run: TemplateRun, text: string): string => {
  run.allow(text.length);
  return text;
};

/** Applies a filter and counts its steps. */
export const applyFilter = (
  { apply, charactersPerStep, steps = 1 }: TemplateFilter,
  run: TemplateRun,
  value: TemplateValue,
  args: Values,
): TemplateValue => {
  let length = lengthOf(value);
  for (const each of args) length += lengthOf(each);
  run.count(steps + Math.floor(length / charactersPerStep));
  return apply(run, value, args);
};
