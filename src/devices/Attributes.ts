import { Schema, SchemaTransformation } from "effect";
import { codePoints, unstorable } from "../wire/Text.ts";

const mostNames = 100;
const longestName = 64;
const mostBytes = 8192;

const AttributeText = Schema.String.check(
  Schema.makeFilter((value: string) => unstorable(value)?.replace("{field}", "attribute") ?? true),
).pipe(Schema.decode(SchemaTransformation.trim()));

const AttributeValue = Schema.Union([
  AttributeText,
  Schema.Number.check(
    Schema.isFinite({
      message: "A number of an attribute cannot be as large as that: 1.79e308 is the most.",
    }),
  ),
  Schema.Boolean,
  Schema.Null,
  Schema.Array(AttributeText),
]).annotate({ message: "Each attribute must be a text, a number, true, false, null or a list of texts." });

/** What an app knows of a device and segments ask for. */
export type Attributes = { readonly [name: string]: typeof AttributeValue.Type };

const problemsOf = (attributes: Attributes): ReadonlyArray<string> => {
  const problems: Array<string> = [];
  const names = Object.keys(attributes);
  if (names.some((name) => unstorable(name) !== null || name.trim() !== name || name === "")) {
    problems.push(
      "The name of an attribute cannot be empty, begin or end with a blank, or hold a NUL or half a character.",
    );
  }
  if (names.some((name) => codePoints(name) > longestName)) {
    problems.push(`The name of an attribute must have at most ${longestName} characters.`);
  }
  if (names.length > mostNames) problems.push(`A device can have at most ${mostNames} attributes.`);
  if (new TextEncoder().encode(JSON.stringify(attributes)).length > mostBytes) {
    problems.push("The attributes of a device can have at most 8 KiB as JSON.");
  }
  return problems;
};

/** Attributes as they are sent: at most 100 names of 1 to 64 characters and 8 KiB; a null stands for no value. */
export const SentAttributes = Schema.Record(Schema.String, AttributeValue)
  .check(Schema.makeFilter((attributes: Attributes) => [...problemsOf(attributes)]))
  .annotate({
    description:
      "Names and values for segments: texts, numbers, true or false, lists of texts. A null removes the name.",
    examples: [{ plan: "gold", visits: 12, interests: ["shoes", "bags"] }],
    message: "The attributes must be an object of names and values.",
  });

/** The attributes after a change: names that are sent replace, null removes, others stay. */
export const mergedAttributes = (before: Attributes, change: Attributes): Attributes =>
  Object.fromEntries(Object.entries({ ...before, ...change }).filter(([, value]) => value !== null));

/** Whether the attributes of a device, after a change, are still within the limits; else a sentence for each that is broken. */
export const attributeProblems = (attributes: Attributes): ReadonlyArray<string> => problemsOf(attributes);
