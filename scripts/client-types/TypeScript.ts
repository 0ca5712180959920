/** TypeScript types of the schemas of an OpenAPI document. */
import { isJson, type Json } from "../../src/wire/OpenApiDescriptions.ts";

const list = (value: unknown): ReadonlyArray<unknown> => (Array.isArray(value) ? value : []);

/** The maximum length of a line of a comment, which is indented by up to eight columns. */
const commentColumns = 98;

/** A comment with the description of a field or a type; empty without one. */
export const comment = (description: unknown): string => {
  if (typeof description !== "string") return "";
  const lines: Array<string> = [];
  for (const word of description.replaceAll("*/", "* /").split(/\s+/)) {
    const last = lines.at(-1);
    if (last === undefined || last.length + word.length >= commentColumns) lines.push(word);
    else lines[lines.length - 1] = `${last} ${word}`;
  }
  return lines.length === 1
    ? `/** ${lines.join("")} */\n`
    : `/**\n${lines.map((line) => ` * ${line}\n`).join("")} */\n`;
};

const union = (members: ReadonlyArray<string>): string => [...new Set(members)].join(" | ");

const propertyName = (name: string): string => (/^[A-Za-z_]\w*$/.test(name) ? name : JSON.stringify(name));

/** The fields of an object, each with its description. */
export const fields = (schema: Json): string => {
  const required = new Set(list(schema["required"]));
  const properties = isJson(schema["properties"]) ? Object.entries(schema["properties"]) : [];
  const lines = properties.map(([name, property]) => {
    const described = isJson(property) ? comment(property["description"]) : "";
    const type = typeOf(property);
    const field = required.has(name)
      ? `readonly ${propertyName(name)}: ${type};`
      : `readonly ${propertyName(name)}?: ${type === "unknown" ? type : `${type} | undefined`};`;
    return described + field;
  });
  return `{\n${lines.join("\n")}\n}`;
};

const objectType = (schema: Json): string => {
  if (isJson(schema["properties"])) return fields(schema);
  const values = schema["additionalProperties"];
  return `Readonly<Record<string, ${isJson(values) ? typeOf(values) : "unknown"}>>`;
};

const arrayType = (schema: Json): string => {
  // A schema with a check of its own has its items in a member of `allOf`.
  for (const part of [schema, ...list(schema["allOf"])].filter(isJson)) {
    if (Array.isArray(part["prefixItems"]))
      return `readonly [${list(part["prefixItems"]).map(typeOf).join(", ")}]`;
    if (isJson(part["items"])) return `ReadonlyArray<${typeOf(part["items"])}>`;
  }
  return "ReadonlyArray<unknown>";
};

const named: { readonly [type: string]: (schema: Json) => string } = {
  array: arrayType,
  boolean: () => "boolean",
  integer: () => "number",
  null: () => "null",
  number: () => "number",
  object: objectType,
  string: () => "string",
};

/** The type of a schema: a name, a union of literals, or an inline type. */
export const typeOf = (schema: unknown): string => {
  if (!isJson(schema)) return "unknown";
  const reference = schema["$ref"];
  if (typeof reference === "string") return reference.split("/").at(-1) ?? "unknown";
  if ("const" in schema) return JSON.stringify(schema["const"]);
  if (Array.isArray(schema["enum"])) return union(schema["enum"].map((value) => JSON.stringify(value)));
  const members = [...list(schema["anyOf"]), ...list(schema["oneOf"])];
  if (members.length > 0) return union(members.map(typeOf));
  const types = Array.isArray(schema["type"]) ? schema["type"] : [schema["type"]];
  return union(types.map((type) => named[String(type)]?.(schema) ?? "unknown"));
};

/** The names of the schemas that a value refers to, directly or through other schemas. */
export const referenced = (value: unknown, schemas: Json, found = new Set<string>()): Set<string> => {
  for (const [, name = ""] of JSON.stringify(value).matchAll(/"#\/components\/schemas\/(\w+)"/g)) {
    if (found.has(name)) continue;
    found.add(name);
    referenced(schemas[name], schemas, found);
  }
  return found;
};

/** The declaration of a schema as a type. */
export const declaration = (name: string, schema: unknown): string => {
  const described = isJson(schema) ? comment(schema["description"] ?? `The JSON of \`${name}\`.`) : "";
  return isJson(schema) && isJson(schema["properties"]) && !("anyOf" in schema)
    ? `${described}export interface ${name} ${fields(schema)}\n`
    : `${described}export type ${name} = ${typeOf(schema)};\n`;
};
