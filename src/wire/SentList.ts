/** Lists of objects in a body, read so that everything wrong with each is said at once (contract B4). */
import { Predicate, type Schema } from "effect";
import { say } from "./Explain.ts";
import type { Problems } from "./Problems.ts";
import { parseFields } from "./ParsedBody.ts";

type Json = { readonly [field: string]: unknown };

/**
 * Reads a list of objects each by itself; null and left out are an empty one, undefined is what is no list. One that is too long
 * is not looked into: each of a million bad entries would get its own sentence. An entry that is no object is read as an empty
 * one at the path "".
 */
export const readEach = <A>(
  value: unknown,
  path: string,
  most: { readonly count: number; readonly sentence: string },
  problems: Problems,
  read: (entry: Json, path: string) => A,
): ReadonlyArray<A> | undefined => {
  if (value === undefined || value === null) return [];
  const refuse = (sentence: string, at: ReadonlyArray<PropertyKey>) =>
    problems.add(at.map(String).join("."), say(sentence, at));
  const names: ReadonlyArray<PropertyKey> = path.split(".");
  if (!Array.isArray(value)) {
    refuse("The {field} must be a list.", names);
    return undefined;
  }
  if (value.length > most.count) {
    refuse(most.sentence, names);
    return undefined;
  }
  return value.map((entry: unknown, at) => {
    if (Predicate.isObject(entry) && !Array.isArray(entry)) return read(entry, `${path}.${at}`);
    refuse("The {field} must be an object.", [...names, at]);
    return read({}, "");
  });
};

/** Reads the fields of an object inside a body; what is wrong with them is said under its path, nothing at the path "". */
export const readFields = <Fields extends Schema.Struct.Fields>(
  schema: Schema.Struct<Fields>,
  entry: Json,
  path: string,
  problems: Problems,
) => {
  const read = parseFields(schema, entry);
  // An entry that is no object has said so already.
  if (path === "") return read.fields;
  for (const [name, sentences] of Object.entries(read.problems.fields)) {
    for (const sentence of sentences) problems.add(`${path}.${name}`, sentence);
  }
  return read.fields;
};
