import { Schema } from "effect";
import { HttpApi, type HttpApiEndpoint, type HttpApiGroup, OpenApi } from "effect/http-api";
import { addDescriptions, isJson, type Json } from "./OpenApiDescriptions.ts";

/** Applies `change` to every object of a document, inner ones first. */
const mapObjects = (value: unknown, change: (object: Json) => Json): unknown => {
  if (Array.isArray(value)) return value.map((entry) => mapObjects(entry, change));
  if (!isJson(value)) return value;
  return change(
    Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, mapObjects(inner, change)])),
  );
};

const schemaName = /^(#\/components\/schemas\/\w+)Encoded$/;

/**
 * Merges the members of an `allOf`, or the only member of an `anyOf`, into the schema if no keyword repeats.
 */
const merged = (schema: Json): Json => {
  const keyword = Array.isArray(schema["allOf"]) ? "allOf" : "anyOf";
  const { [keyword]: members, ...own } = schema;
  if (!Array.isArray(members) || (keyword === "anyOf" && members.length !== 1)) return schema;
  const parts = members.filter((part: unknown): part is Json => isJson(part) && !("$ref" in part));
  const entries = [own, ...parts].flatMap((part) => Object.entries(part));
  const isPlain =
    parts.length === members.length && new Set(entries.map(([key]) => key)).size === entries.length;
  return isPlain ? Object.fromEntries(entries) : schema;
};

/**
 * Shows a query parameter as a single text. Its schema also accepts a list, so that repetition is a problem
 * like others.
 */
const singleParameter = (parameter: Json): Json => {
  const { schema } = parameter;
  if (parameter["in"] !== "query" || !isJson(schema)) return parameter;
  const { anyOf, ...own } = schema;
  if (!Array.isArray(anyOf) || anyOf.length !== 2) return parameter;
  const [one, several] = anyOf as ReadonlyArray<unknown>;
  const isSeveral = isJson(several) && several["type"] === "array" && !("description" in several);
  return isJson(one) && one["type"] === "string" && isSeveral
    ? { ...parameter, schema: { ...own, ...one } }
    : parameter;
};

/**
 * One schema as clients read it. Objects are open, because unknown fields of a request are ignored (contract
 * B4) and a response may gain fields. A nullable field has its description itself, not in a member. Names
 * lose the suffix `Encoded`.
 */
const tidySchema = (schema: Json): Json => {
  const { additionalProperties, ...rest } = merged(schema);
  const open =
    additionalProperties === undefined || additionalProperties === false
      ? rest
      : { ...rest, additionalProperties };
  const reference = open["$ref"];
  if (typeof reference === "string") return { ...open, $ref: reference.replace(schemaName, "$1") };
  const described = Array.isArray(open["anyOf"])
    ? open["anyOf"].find((member): member is Json => isJson(member) && "description" in member)
    : undefined;
  if (described === undefined) return open;
  const { description, examples } = described;
  return { description, ...(examples === undefined ? {} : { examples }), ...open };
};

/**
 * Rewrites a generated OpenAPI document: paths relative to the base path, which is in its servers, and tidied
 * schemas.
 */
export const tidyOpenApi =
  (base: string, servers: ReadonlyArray<{ readonly url: string; readonly description: string }>) =>
  (document: Json): Json => {
    const tidied = mapObjects(document, (part) => singleParameter(tidySchema(part))) as Json;
    const paths = Object.entries(tidied["paths"] as Json).map(([path, item]) => [
      path.startsWith(base) ? path.slice(base.length) : path,
      item,
    ]);
    const components = tidied["components"] as Json;
    const schemas = Object.entries(components["schemas"] as Json)
      .map(([name, schema]) => [name.replace(/Encoded$/, ""), schema] as const)
      .toSorted(([a], [b]) => (a < b ? -1 : 1));
    return {
      ...tidied,
      info: {
        ...(tidied["info"] as Json),
        license: { name: "Apache License 2.0", identifier: "Apache-2.0" },
      },
      servers,
      paths: Object.fromEntries(paths) as Json,
      components: { ...components, schemas: Object.fromEntries(schemas) },
    };
  };

/** Shows the body of an operation as optional. For `OpenApi.Transform`. */
export const withOptionalBody = (op: Json): Json => {
  const body = op["requestBody"];
  return isJson(body) ? { ...op, requestBody: { ...body, required: false } } : op;
};

/** The schemas of the query parameters that are integers, numbers or booleans, by name. */
const parameterTypes = (endpoint: HttpApiEndpoint.Top): ReadonlyMap<string, Json> => {
  if (endpoint.query === undefined) return new Map();
  const { schema } = Schema.toJsonSchemaDocument(Schema.toType(endpoint.query));
  return new Map(
    Object.entries((schema["properties"] ?? {}) as { [name: string]: Json }).filter(([, property]) =>
      ["integer", "number", "boolean"].includes(String(property["type"])),
    ),
  );
};

/** Adds the descriptions of the request body and of the success responses of an operation. */
const addBodyDescriptions = (components: Json, op: Json, endpoint: HttpApiEndpoint.Top): void => {
  const shown = (body: unknown): ReadonlyArray<unknown> => {
    const content = isJson(body) ? body["content"] : undefined;
    return isJson(content)
      ? Object.values(content).map((type) => (isJson(type) ? type["schema"] : type))
      : [];
  };
  for (const { ast } of [...endpoint.payload.values()].flatMap(({ schemas }) => schemas)) {
    for (const schema of shown(op["requestBody"])) addDescriptions(components, schema, ast);
  }
  for (const { ast } of endpoint.success) {
    for (const [status, response] of Object.entries(isJson(op["responses"]) ? op["responses"] : {})) {
      if (status.startsWith("2"))
        for (const schema of shown(response)) addDescriptions(components, schema, ast);
    }
  }
};

/**
 * The OpenAPI document of an interface. Query parameters that are numbers or booleans are shown as such; the
 * generator shows them as texts. `extra` adds parameters to an operation.
 */
export const describeApi = (
  api: HttpApi.Top,
  extra: (endpoint: HttpApiEndpoint.Top, middleware: ReadonlySet<string>) => ReadonlyArray<Json> = () => [],
): OpenApi.OpenAPISpec => {
  const endpoints = new Map<
    string,
    { readonly endpoint: HttpApiEndpoint.Top; readonly middleware: ReadonlySet<string> }
  >();
  HttpApi.reflect(api, {
    onGroup: () => {},
    onEndpoint: ({ endpoint, group, middleware }) => {
      endpoints.set(`${group.identifier}.${endpoint.identifier}`, {
        endpoint,
        middleware: new Set([...middleware].map(({ key }) => key)),
      });
    },
  });
  const document = OpenApi.fromApi(api as unknown as HttpApi.HttpApi<string, HttpApiGroup.Constraint>);
  const components = document.components.schemas as Json;
  const operation = (op: Json): Json => {
    const known = endpoints.get(String(op["operationId"]));
    if (known === undefined || !Array.isArray(op["parameters"])) return op;
    const types = parameterTypes(known.endpoint);
    const parameters = (op["parameters"] as Array<Json>).map((parameter) => {
      const schema = parameter["schema"];
      const type = parameter["in"] === "query" ? types.get(String(parameter["name"])) : undefined;
      // A parameter with a description of its own is sent as text, whatever it is decoded to.
      const isDescribed = isJson(schema) && "description" in schema;
      return type === undefined || isDescribed ? parameter : { ...parameter, schema: type };
    });
    return { ...op, parameters: [...parameters, ...extra(known.endpoint, known.middleware)] };
  };
  for (const item of Object.values(document.paths)) {
    for (const op of Object.values(item) as ReadonlyArray<unknown>) {
      const known = isJson(op) ? endpoints.get(String(op["operationId"])) : undefined;
      if (isJson(op) && known !== undefined) addBodyDescriptions(components, op, known.endpoint);
    }
  }
  return mapObjects(document, operation) as OpenApi.OpenAPISpec;
};
