import { codePoints } from "../wire/CodePoints.ts";
import { describeValue, type Reject } from "./geometry/FeatureRejection.ts";
import { MAX_RADIUS_METERS, MIN_RADIUS_METERS } from "./ImportLimits.ts";

/** The maximum length of a name, an external id or a group's name, in Unicode code points. */
const MAX_TEXT_LENGTH = 255;

/**
 * Reads a text of an imported feature, trimmed, 1 to 255 characters; a number is read as its text (contract
 * B5, G3). Undefined if it is rejected; null or a missing value gives `whenMissing`. `label` is for reasons.
 */
export const readText = <Missing>(
  value: unknown,
  label: string,
  reject: Reject,
  whenMissing: () => Missing,
): string | Missing | undefined => {
  if (value === undefined || value === null) return whenMissing();
  const rule = `The ${label} must be a text of 1 to ${MAX_TEXT_LENGTH} characters`;
  if (typeof value === "number") {
    // Larger JSON numbers lose digits: two different ids would be read as the same one.
    if (Math.abs(value) <= Number.MAX_SAFE_INTEGER) return String(value);
    return reject(`${rule}; ${describeValue(value)} is too large to be read exactly, so write it in quotes.`);
  }
  if (typeof value !== "string") return reject(`${rule}; this feature has ${describeValue(value)}.`);
  const text = value.trim();
  const problems = [
    text === "" && `${rule}; this feature's is empty.`,
    codePoints(text) > MAX_TEXT_LENGTH && `${rule}; this feature's has ${codePoints(text)}.`,
    text.includes("\0") && `The ${label} may not hold the character NUL (U+0000); leave it out.`,
    !text.isWellFormed() && `The ${label} holds half a character (a lone surrogate); write it in whole ones.`,
  ].filter((problem) => problem !== false);
  problems.forEach((problem) => reject(problem));
  return problems.length === 0 ? text : undefined;
};

/**
 * Reads a circle's radius and rounds it to whole metres; its range is checked before (contract G3). A numeric
 * text is accepted. Undefined if it is rejected; `member` has it, for reasons.
 */
export const readRadius = (
  value: unknown,
  reject: Reject,
  member = "properties.radius",
): number | undefined => {
  const range = `between ${MIN_RADIUS_METERS} and ${MAX_RADIUS_METERS} metres`;
  if (value === undefined || value === null)
    return reject(`A Point needs a radius: set ${member} to a number ${range}.`);
  const radius = typeof value === "string" && NUMERIC.test(value.trim()) ? Number(value) : value;
  if (typeof radius === "number" && radius >= MIN_RADIUS_METERS && radius <= MAX_RADIUS_METERS) {
    return Math.round(radius);
  }
  const kind = typeof radius === "number" ? "" : "a number ";
  return reject(`The radius must be ${kind}${range}; this feature has ${describeValue(value)}.`);
};

const NUMERIC = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i;
