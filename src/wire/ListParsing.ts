/**
 * Parses lists of objects in a body, so that all problems of all entries are reported together (contract B4).
 */
import { Predicate, type Schema } from "effect";
import { parseFields } from "./ParsedBody.ts";
import type { Problems } from "./Problems.ts";
import { fieldSentence } from "./SchemaProblems.ts";

type Json = { readonly [field: string]: unknown };

/** The most entries of a list, and the sentence for a list that has more. */
interface ListLimit {
  readonly max: number;
  readonly sentence: string;
}

/**
 * Parses each entry of a list. A missing list or null is an empty list; undefined stands for a value that is
 * not a list. The entries of a list that is too long are not parsed: a million bad entries would add a
 * million problems. `parse` gets null for an entry that is not an object, whose problem is already added.
 */
export const parseList = <A>(
  value: unknown,
  path: string,
  { max, sentence }: ListLimit,
  problems: Problems,
  parse: (entry: Json | null, path: string) => A,
): ReadonlyArray<A> | undefined => {
  if (value === undefined || value === null) return [];
  const names: ReadonlyArray<PropertyKey> = path.split(".");
  const isList = Array.isArray(value);
  if (!isList || value.length > max) {
    problems.add(path, fieldSentence(isList ? sentence : "The {field} must be a list.", names));
    return undefined;
  }
  return value.map((entry: unknown, index) => {
    const entryPath = `${path}.${index}`;
    if (Predicate.isObject(entry) && !Array.isArray(entry)) return parse(entry, entryPath);
    problems.add(entryPath, fieldSentence("The {field} must be an object.", [...names, index]));
    return parse(null, entryPath);
  });
};

/**
 * Parses the fields of an object inside a body and adds their problems under its path; null has no fields.
 */
export const parseObject = <Fields extends Schema.Struct.Fields>(
  schema: Schema.Struct<Fields>,
  entry: Json | null,
  path: string,
  problems: Problems,
): Partial<Schema.Struct<Fields>["Type"]> => {
  if (entry === null) return {};
  const parsed = parseFields(schema, entry);
  for (const [name, sentences] of Object.entries(parsed.problems.fields)) {
    for (const sentence of sentences) problems.add(`${path}.${name}`, sentence);
  }
  return parsed.fields;
};
