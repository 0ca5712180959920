import type { TimeZoneName } from "../../time/TimeZone.ts";
import { codePoints } from "../../wire/CodePoints.ts";

/** The most nodes and filter calls of one rendering (contract O1). */
const maxSteps = 10_000;
/** The most bytes of UTF-8 that a field renders to (contract O1). */
const maxBytes = 10_240;

/** A value in a template: of a variable, a literal, or the result of a filter. */
export type TemplateValue = string | number | boolean | null | undefined | ReadonlyArray<string>;

/** The values of the variables. A missing value renders empty. */
export interface TemplateValues {
  readonly device: {
    readonly attributes: { readonly [name: string]: TemplateValue };
    readonly platform: string | null;
    readonly locale: string | null;
    readonly timezone: TimeZoneName | null;
  };
  /** The location whose event triggered the message; null for a push campaign. */
  readonly location: {
    readonly name: string;
    readonly address: string | null;
    readonly external_id: string | null;
  } | null;
  readonly campaign: { readonly name: string | null };
  /** The properties of the custom event that triggered the message; null for none. */
  readonly event: { readonly [name: string]: TemplateValue } | null;
  /** The time of rendering, in epoch milliseconds. */
  readonly now: number;
}

/** A rendering passed a limit. The message completes the sentence "The headline …". */
export class LimitPassed extends Error {}

const tooLong = `renders to more than ${maxBytes.toLocaleString("en")} bytes.`;
const tooManySteps = `takes more than ${maxSteps.toLocaleString("en")} steps to render.`;

/** One rendering: its values, its output so far, and what is left of its limits. Counted, not timed. */
export class TemplateRun {
  readonly values: TemplateValues;
  #text = "";
  #steps = 0;

  constructor(values: TemplateValues) {
    this.values = values;
  }

  count(steps: number): void {
    this.#steps += steps;
    if (this.#steps > maxSteps) throw new LimitPassed(tooManySteps);
  }

  /** Limits the length of a text before it is made. A UTF-16 unit has at least one byte of UTF-8. */
  allow(length: number): void {
    if (length > maxBytes) throw new LimitPassed(tooLong);
  }

  write(text: string): void {
    this.allow(this.#text.length + text.length);
    this.#text += text;
  }

  /** The whole output. */
  end(): string {
    if (Buffer.byteLength(this.#text) > maxBytes) throw new LimitPassed(tooLong);
    // A filter can split a surrogate pair.
    return this.#text.toWellFormed();
  }
}

/** A value as text: empty for a missing one; the texts of a list without anything in between. */
export const textOf = (value: TemplateValue): string => {
  if (typeof value === "string") return value;
  if (value === null || value === undefined) return "";
  return typeof value === "object" ? value.join("") : String(value);
};

/** The size of a text in characters, or of a list; undefined for another value. */
export const sizeOf = (value: TemplateValue): number | undefined => {
  if (typeof value === "string") return codePoints(value);
  return typeof value === "object" && value !== null ? value.length : undefined;
};

/** A measure for the work that a value causes: the length of its text. */
export const lengthOf = (value: TemplateValue): number => {
  if (typeof value === "string") return value.length;
  return typeof value === "object" && value !== null
    ? value.reduce((sum, { length }) => sum + length, value.length)
    : 0;
};
