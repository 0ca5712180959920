import { Schema } from "effect";
import { HttpApi, type HttpApiEndpoint, type HttpApiGroup, OpenApi } from "effect/http-api";
import { addWords, isJson, type Json } from "./OpenApiWords.ts";

/** The same document with every object in it passed through `change`, the inner ones first. */
const everywhere = (value: unknown, change: (object: Json) => Json): unknown => {
  if (Array.isArray(value)) return value.map((entry) => everywhere(entry, change));
  if (!isJson(value)) return value;
  return change(
    Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, everywhere(inner, change)])),
  );
};

const schemaName = /^(#\/components\/schemas\/\w+)Encoded$/;

/** What stands in an `allOf`, or alone in an `anyOf`, and could as well stand beside it does. */
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

/** A parameter that is read also where it stands several times, to be refused with all else that is wrong, may stand once. */
const givenOnce = (parameter: Json): Json => {
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
 * One schema as clients should read it. Objects are open: unknown fields of a request are ignored (contract B4), and an answer may
 * grow. What a nullable field is stands on the field itself. An error is called what it is.
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
 * Makes a generated OpenAPI document say what clients see: paths relative to the interface's base, which stands as its server,
 * and schemas as `tidySchema` has them.
 */
export const tidyOpenApi =
  (base: string, servers: ReadonlyArray<{ readonly url: string; readonly description: string }>) =>
  (document: Json): Json => {
    const tidied = everywhere(document, (part) => givenOnce(tidySchema(part))) as Json;
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

/** What a query parameter is before it travels as text: an integer is an integer, a flag a boolean. */
const parameterTypes = (endpoint: HttpApiEndpoint.Top): ReadonlyMap<string, Json> => {
  if (endpoint.query === undefined) return new Map();
  const { schema } = Schema.toJsonSchemaDocument(Schema.toType(endpoint.query));
  return new Map(
    Object.entries((schema["properties"] ?? {}) as { [name: string]: Json }).filter(([, property]) =>
      ["integer", "number", "boolean"].includes(String(property["type"])),
    ),
  );
};

/** The schemas of all bodies of an operation that are not errors, with the parts of the document that show them. */
const addWordsOfBodies = (components: Json, op: Json, endpoint: HttpApiEndpoint.Top): void => {
  const shown = (body: unknown): ReadonlyArray<unknown> => {
    const content = isJson(body) ? body["content"] : undefined;
    return isJson(content)
      ? Object.values(content).map((type) => (isJson(type) ? type["schema"] : type))
      : [];
  };
  for (const { ast } of [...endpoint.payload.values()].flatMap(({ schemas }) => schemas)) {
    for (const schema of shown(op["requestBody"])) addWords(components, schema, ast);
  }
  for (const { ast } of endpoint.success) {
    for (const [status, response] of Object.entries(isJson(op["responses"]) ? op["responses"] : {})) {
      if (status.startsWith("2")) for (const schema of shown(response)) addWords(components, schema, ast);
    }
  }
};

/**
 * The OpenAPI document of an interface. Numbers and flags in a query, which the generator shows as the texts that they travel as,
 * are shown as what they are. `extra` gives an operation further parameters.
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
    onEndpoint: ({
      endpoint,
      group,
      middleware,
    }: {
      readonly endpoint: HttpApiEndpoint.Top;
      readonly group: HttpApiGroup.Top;
      readonly middleware: ReadonlySet<{ readonly key: string }>;
    }) => {
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
      // A parameter with a description of its own is a text on the wire, whatever it is read as.
      const isDescribed = isJson(schema) && "description" in schema;
      return type === undefined || isDescribed ? parameter : { ...parameter, schema: type };
    });
    return { ...op, parameters: [...parameters, ...extra(known.endpoint, known.middleware)] };
  };
  for (const item of Object.values(document.paths)) {
    for (const op of Object.values(item) as ReadonlyArray<unknown>) {
      const known = isJson(op) ? endpoints.get(String(op["operationId"])) : undefined;
      if (isJson(op) && known !== undefined) addWordsOfBodies(components, op, known.endpoint);
    }
  }
  return everywhere(document, operation) as OpenApi.OpenAPISpec;
};
