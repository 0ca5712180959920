import { type Schema, SchemaAST } from "effect";

/** A JSON object of a document. */
export type Json = { [key: string]: unknown };

/** Whether a value of a document is an object. */
export const isJson = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The annotations with the description of a schema: of its last check, its root, or a member of a union. */
const descriptionOf = (ast: SchemaAST.AST): Schema.Annotations.Annotations | undefined => {
  const members = SchemaAST.isUnion(ast) ? ast.types.map((member) => SchemaAST.resolve(member)) : [];
  return [SchemaAST.resolve(ast), ast.annotations, ...members].find(
    (annotations) => typeof annotations?.["description"] === "string",
  );
};

/** Copies the description and examples of a schema to a field that has no description. */
const describe = (field: Json, ast: SchemaAST.AST): void => {
  const annotations = descriptionOf(ast);
  if (annotations === undefined || "$ref" in field || "description" in field) return;
  field["description"] = annotations["description"];
  if (Array.isArray(annotations["examples"]) && !("examples" in field))
    field["examples"] = annotations["examples"];
};

/**
 * Adds descriptions and examples that the generator loses: those written after a check or a transformation,
 * and those of fields of any type. Changes `schema` and the components that it refers to.
 */
export const addDescriptions = (components: Json, schema: unknown, ast: SchemaAST.AST, depth = 0): void => {
  if (!isJson(schema) || depth > 20) return;
  const reference = schema["$ref"];
  if (typeof reference === "string") {
    return addDescriptions(components, components[reference.split("/").at(-1) ?? ""], ast, depth + 1);
  }
  const inner = (part: unknown, type: SchemaAST.AST) => addDescriptions(components, part, type, depth + 1);
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
      describe(field, type);
      inner(field, type);
    }
  }
};
