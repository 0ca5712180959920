import { MAX_RADIUS_METERS, MIN_RADIUS_METERS } from "./Location.ts";
import { describe, type Refuse } from "./geometry/GeometryProblem.ts";

/** The most characters (Unicode code points) of a name, an external id or a group's name. */
const MAX_TEXT_LENGTH = 255;

/**
 * A text of an imported feature, trimmed (contract B5, G3): 1 to 255 characters, a number taken as its text. Undefined where
 * it is none of these, with all reasons told; `label` names the text in them. What is null or left out is `whenMissing`.
 */
export const readText = <Missing>(
  value: unknown,
  label: string,
  refuse: Refuse,
  whenMissing: () => Missing,
): string | Missing | undefined => {
  if (value === undefined || value === null) return whenMissing();
  const rule = `The ${label} must be a text of 1 to ${MAX_TEXT_LENGTH} characters`;
  if (typeof value === "number") {
    // Beyond this, JSON numbers lose digits: two different ids would be read as the same one.
    if (Math.abs(value) <= Number.MAX_SAFE_INTEGER) return String(value);
    refuse(`${rule}; ${describe(value)} is too large to be read exactly, so write it in quotes.`);
    return undefined;
  }
  if (typeof value !== "string") {
    refuse(`${rule}; this feature has ${describe(value)}.`);
    return undefined;
  }
  const text = value.trim();
  const problems = [
    text === "" && `${rule}; this feature's is empty.`,
    codePoints(text) > MAX_TEXT_LENGTH && `${rule}; this feature's has ${codePoints(text)}.`,
    text.includes("\0") && `The ${label} may not hold the character NUL (U+0000); leave it out.`,
    !text.isWellFormed() && `The ${label} holds half a character (a lone surrogate); write it in whole ones.`,
  ].filter((problem) => problem !== false);
  problems.forEach(refuse);
  return problems.length === 0 ? text : undefined;
};

/**
 * A circle's radius in whole metres; a numeric text is fine, and the range is checked before rounding (contract G3).
 * Undefined where it is missing or out of range, with the reason told.
 */
export const readRadius = (value: unknown, refuse: Refuse): number | undefined => {
  const range = `between ${MIN_RADIUS_METERS} and ${MAX_RADIUS_METERS} metres`;
  if (value === undefined || value === null) {
    refuse(`A Point needs a radius: set properties.radius to a number ${range}.`);
    return undefined;
  }
  const radius = typeof value === "string" && NUMERIC.test(value.trim()) ? Number(value) : value;
  if (typeof radius === "number" && radius >= MIN_RADIUS_METERS && radius <= MAX_RADIUS_METERS) {
    return Math.round(radius);
  }
  const kind = typeof radius === "number" ? "" : "a number ";
  refuse(`The radius must be ${kind}${range}; this feature has ${describe(value)}.`);
  return undefined;
};

const NUMERIC = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i;

const codePoints = (text: string): number => {
  let count = 0;
  for (let i = 0; i < text.length; i++) {
    if ((text.codePointAt(i) ?? 0) > 0xffff) i++;
    count++;
  }
  return count;
};
