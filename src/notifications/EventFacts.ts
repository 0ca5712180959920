import { Schema } from "effect";
import { codePoints } from "../wire/CodePoints.ts";
import { unstorable } from "../wire/Text.ts";

const maxProperties = 20;
const maxNameLength = 64;
const maxTextLength = 255;
const maxBytes = 4096;

/** The value of a property. */
export type PropertyValue = string | number | boolean;
/** The properties of an event by their names. */
export type Properties = { readonly [name: string]: PropertyValue };

const textProblem = (text: string, field: string, max: number): string | null =>
  unstorable(text)?.replace("{field}", field) ??
  (codePoints(text) > max ? `The ${field} must have at most ${max} characters.` : null);

const propertyProblem = (name: string, value: unknown): string | null => {
  if (name === "") return "A property must have a name.";
  const problem = textProblem(name, "name of a property", maxNameLength);
  if (problem !== null) return problem;
  if (typeof value === "string") return textProblem(value, `property ${name}`, maxTextLength);
  return typeof value === "boolean" || Number.isFinite(value)
    ? null
    : `The property ${name} must be a text, a number, true or false.`;
};

const isObject = (value: unknown): value is object =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Why a value is no properties of an event; null if it is. */
export const propertiesProblem = (value: unknown): string | null => {
  if (!isObject(value)) return "The properties must be an object.";
  const properties = Object.entries(value);
  if (properties.length > maxProperties) return `The properties must be at most ${maxProperties}.`;
  for (const [name, each] of properties) {
    const problem = propertyProblem(name, each);
    if (problem !== null) return problem;
  }
  return Buffer.byteLength(JSON.stringify(value)) > maxBytes
    ? `The properties must have at most ${maxBytes.toLocaleString("en")} bytes as JSON.`
    : null;
};

/** The properties of an event: flat values by their names. */
export const EventProperties = Schema.Record(
  Schema.String,
  Schema.Union([Schema.String, Schema.Finite, Schema.Boolean]),
).annotate({
  description:
    "At most 20 texts of at most 255 characters, numbers, trues or falses by names of 1 to 64 characters; " +
    "together at most 4,096 bytes of JSON.",
  examples: [{ total: 59.9, currency: "EUR" }],
});
