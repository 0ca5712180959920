import { type Schema, SchemaAST } from "effect";

/** A JSON value of a document that is being made. */
export type Json = { [key: string]: unknown };

/** Whether a value of a document is an object. */
export const isJson = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** What a schema says of itself: with its last check, at its root, or as the member of a union that is not null. */
const wordsOf = (ast: SchemaAST.AST): Schema.Annotations.Annotations | undefined => {
  const members = SchemaAST.isUnion(ast) ? ast.types.map((member) => SchemaAST.resolve(member)) : [];
  return [SchemaAST.resolve(ast), ast.annotations, ...members].find(
    (annotations) => typeof annotations?.["description"] === "string",
  );
};

/** Copies what a schema says of a field to the field, if the document says nothing of it. */
const complete = (field: Json, ast: SchemaAST.AST): void => {
  const words = wordsOf(ast);
  if (words === undefined || "$ref" in field || "description" in field) return;
  field["description"] = words["description"];
  if (Array.isArray(words["examples"]) && !("examples" in field)) field["examples"] = words["examples"];
};

/**
 * Gives the fields of a document the descriptions and examples that stand in their schemas but that the generator loses: those
 * written after a check or a transformation, and those of fields that can be anything. Changes `schema` and what it refers to.
 */
export const addWords = (components: Json, schema: unknown, ast: SchemaAST.AST, depth = 0): void => {
  if (!isJson(schema) || depth > 20) return;
  const reference = schema["$ref"];
  if (typeof reference === "string") {
    return addWords(components, components[reference.split("/").at(-1) ?? ""], ast, depth + 1);
  }
  const inner = (part: unknown, of: SchemaAST.AST) => addWords(components, part, of, depth + 1);
  if (SchemaAST.isUnion(ast)) {
    const parts: ReadonlyArray<unknown> = Array.isArray(schema["anyOf"]) ? schema["anyOf"] : [schema];
    for (const type of ast.types) for (const part of parts) inner(part, type);
  } else if (SchemaAST.isArrays(ast)) {
    for (const type of ast.rest) inner(schema["items"], type);
  } else if (SchemaAST.isObjects(ast)) {
    const properties = schema["properties"];
    for (const { name, type } of ast.propertySignatures) {
      const field = isJson(properties) ? properties[String(name)] : undefined;
      if (!isJson(field)) continue;
      complete(field, type);
      inner(field, type);
    }
  }
};
