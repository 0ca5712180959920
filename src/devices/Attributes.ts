import { Schema, SchemaTransformation } from "effect";
import { codePoints } from "../wire/CodePoints.ts";
import { unstorable } from "../wire/Text.ts";

const maxNames = 100;
const maxNameLength = 64;
const maxBytes = 8192;

const AttributeText = Schema.String.check(
  Schema.makeFilter((value: string) => unstorable(value)?.replace("{field}", "attribute") ?? true),
).pipe(Schema.decode(SchemaTransformation.trim()));

const AttributeValue = Schema.Union([
  AttributeText,
  Schema.Number.check(
    Schema.isFinite({
      message: "A number of an attribute is too large: the maximum is 1.79e308.",
    }),
  ),
  Schema.Boolean,
  Schema.Null,
  Schema.Array(AttributeText),
]).annotate({ message: "Each attribute must be a text, a number, true, false, null or a list of texts." });

/** The attributes of a device, which its app sends and segments compare. */
export type Attributes = { readonly [name: string]: typeof AttributeValue.Type };

/** A sentence for each limit that the attributes of a device exceed. */
export const attributeProblems = (attributes: Attributes): ReadonlyArray<string> => {
  const problems: Array<string> = [];
  const names = Object.keys(attributes);
  if (names.some((name) => unstorable(name) !== null || name.trim() !== name || name === "")) {
    problems.push(
      "The name of an attribute cannot be empty, begin or end with a blank, or contain a NUL or a lone " +
        "surrogate.",
    );
  }
  if (names.some((name) => codePoints(name) > maxNameLength)) {
    problems.push(`The name of an attribute must have at most ${maxNameLength} characters.`);
  }
  if (names.length > maxNames) problems.push(`A device can have at most ${maxNames} attributes.`);
  const json = JSON.stringify(attributes);
  // A UTF-16 code unit takes at most three bytes.
  if (json.length * 3 > maxBytes && new TextEncoder().encode(json).length > maxBytes) {
    problems.push("The attributes of a device can have at most 8 KiB as JSON.");
  }
  return problems;
};

/** Attributes in a body: at most 100 names of 1 to 64 characters, and 8 KiB. A null removes the name. */
export const SentAttributes = Schema.Record(Schema.String, AttributeValue)
  .check(Schema.makeFilter((attributes: Attributes) => [...attributeProblems(attributes)]))
  .annotate({
    description:
      "Names and values for segments: texts, numbers, true or false, lists of texts. A null removes the " +
      "name.",
    examples: [{ plan: "gold", visits: 12, interests: ["shoes", "bags"] }],
    message: "The attributes must be an object of names and values.",
  });

/**
 * The attributes after a change: sent names replace stored ones, null removes a name, other names are kept.
 */
export const mergedAttributes = (before: Attributes, change: Attributes): Attributes =>
  Object.fromEntries(Object.entries({ ...before, ...change }).filter(([, value]) => value !== null));
