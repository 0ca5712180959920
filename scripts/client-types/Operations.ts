/** The operations of an OpenAPI document as methods of the client. */
import { isJson, type Json } from "../../src/wire/OpenApiDescriptions.ts";
import { comment, typeOf } from "./TypeScript.ts";

/** An operation, as a row of the client's table and as a method of an interface. */
export interface Operation {
  readonly group: string;
  readonly name: string;
  /** The row of the table: method, path, and what the client has to know about the operation. */
  readonly row: string;
  /** The query parameters: the name of their type, its comment, and the fields by name; null without any. */
  readonly query: {
    readonly name: string;
    readonly about: string;
    readonly fields: ReadonlyMap<string, string>;
  } | null;
  readonly signature: string;
  /** The schemas whose types the method needs. */
  readonly schemas: ReadonlyArray<unknown>;
}

/**
 * Changes without an idempotency key that have no further effect if they are repeated: events and answers are
 * recognized, positions become stale, and only the first open and click of a message counts.
 */
export const repeatable: ReadonlySet<string> = new Set([
  "events.report",
  "positions.report",
  "messages.open",
  "messages.click",
  "answers.answer",
]);

/** Parameters that the client does not offer: it reads JSON, and does not send imports in parts. */
const internalParameters = new Set(["format", "part", "dry_run"]);

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
const camel = (text: string): string =>
  text.replace(/[-_](\w)/g, (_, letter: string) => letter.toUpperCase());

const jsonOf = (body: unknown): unknown => {
  const content = isJson(body) ? body["content"] : undefined;
  const json = isJson(content) ? content["application/json"] : undefined;
  return isJson(json) ? json["schema"] : undefined;
};

/** The successful response: the first one with a status of 2xx. */
const responseOf = (responses: Json): unknown =>
  Object.entries(responses).find(([status]) => status.startsWith("2"))?.[1];

const successOf = (responses: Json): Json => {
  const schema = jsonOf(responseOf(responses));
  return isJson(schema) && isJson(schema["properties"]) ? schema : { properties: {} };
};

/** The type of a path parameter. The document shows the environment as a text: another one is not found. */
const pathType = ({ name, schema }: Json): string =>
  name === "env" ? '"sandbox" | "production"' : typeOf(schema);

const queryField = (parameter: Json): string => {
  const { required, schema } = parameter;
  const name = String(parameter["name"]);
  const type = name === "updated_since" ? "string | Date" : typeOf(schema);
  const field = required === true ? `readonly ${name}: ${type};` : `readonly ${name}?: ${type} | undefined;`;
  return comment(isJson(schema) ? schema["description"] : undefined) + field;
};

/** The kind of a request's body: JSON, a GeoJSON import, a file of rows, a form with a file, or none. */
const bodyKind = (
  operationId: string,
  requestBody: unknown,
): "body" | "import" | "rows" | "upload" | null => {
  if (requestBody === undefined) return null;
  if (operationId === "locations.import") return "import";
  if (operationId === "deviceImport.import") return "rows";
  return jsonOf(requestBody) === undefined ? "upload" : "body";
};

/** The kind of a response: pages of a list, data with more beside it, or the data alone. */
const responseKind = (success: Json): "pages" | "envelope" | null => {
  const properties = success["properties"] as Json;
  const { meta } = properties;
  if (isJson(meta) && isJson(meta["properties"]) && "next_cursor" in meta["properties"]) return "pages";
  return Object.keys(properties).length > 1 ? "envelope" : null;
};

/** Whether data is the confirmation of a deletion, which is the same for every resource (contract A4). */
const isDeletion = (data: unknown): boolean =>
  isJson(data) &&
  isJson(data["properties"]) &&
  Object.keys(data["properties"]).toSorted().join() === "deleted,id";

/** Whether the successful response has a member: a content type, or a header. */
const succeedsWith = (responses: Json, member: "content" | "headers", name: string): boolean => {
  const response = responseOf(responses);
  const members = isJson(response) ? response[member] : undefined;
  return isJson(members) && name in members;
};

/** A method, with a variant of it as a property: `get` and `get.withVersion`. */
const withVariant = (name: string, parameters: string, result: string, variant: string): string =>
  `readonly ${name}: {\n(${parameters}): ${result};\n${variant}\n};`;

const resultType = (success: Json, kind: ReturnType<typeof responseKind>): string => {
  const data = (success["properties"] as Json)["data"];
  if (kind === "pages") return `Pages<${typeOf(isJson(data) ? data["items"] : undefined)}>`;
  if (isDeletion(data)) return "Promise<Deleted>";
  return `Promise<${typeOf(kind === "envelope" ? success : data)}>`;
};

const hasHeader = (op: Json, header: string): boolean =>
  (op["parameters"] as ReadonlyArray<Json>).some(({ name }) => String(name).toLowerCase() === header);

/** Whether an operation takes an `Idempotency-Key`. */
export const isKeyed = (op: Json): boolean => hasHeader(op, "idempotency-key");

/**
 * Reads an operation. `path` is relative to the server of the document. In a document that `hasKeys`, every
 * change takes an idempotency key, so that a `POST` without one only reads.
 */
export const operationOf = (method: string, path: string, op: Json, hasKeys: boolean): Operation => {
  const operationId = String(op["operationId"]);
  const [group = "", name = ""] = operationId.split(".");
  const parameters = op["parameters"] as ReadonlyArray<Json>;
  const success = successOf(op["responses"] as Json);
  const response = responseKind(success);
  const body = bodyKind(operationId, op["requestBody"]);
  const query = parameters.filter(
    (each) => each["in"] === "query" && !internalParameters.has(String(each["name"])),
  );
  const queryName = `${capital(group)}${capital(name)}Query`;
  const isQueryRequired = query.some(({ required }) => required === true);
  const isRepeatable = repeatable.has(operationId) || (hasKeys && method === "post" && !isKeyed(op));
  const isRequired = isJson(op["requestBody"]) && op["requestBody"]["required"] === true;
  const isCsv = succeedsWith(op["responses"] as Json, "content", "text/csv");
  const isVersioned =
    method === "get" &&
    !hasHeader(op, "if-none-match") &&
    succeedsWith(op["responses"] as Json, "headers", "ETag");
  const credential = JSON.stringify(op["security"]).includes("sdkKey") ? "sdk-key" : null;
  const options = isKeyed(op) ? "ChangeOptions" : "CallOptions";
  const takesDryRun = parameters.some((each) => each["name"] === "dry_run");
  const extra =
    (takesDryRun ? " & { readonly dryRun?: boolean | undefined }" : "") +
    (body === "upload" ? " & { readonly name?: string | undefined }" : "");
  const deviceToken = hasHeader(op, "x-device-token")
    ? " & { readonly deviceToken?: string | undefined }"
    : "";
  const version = hasHeader(op, "if-match") ? " & VersionOptions" : "";

  const source = { import: "FeatureCollection | FileSource", rows: "FileSource", upload: "FileSource" };
  const parts = [
    ...parameters
      .filter((each) => each["in"] === "path")
      .map((each) => `${camel(String(each["name"]))}: ${pathType(each)}`),
    ...(body === "body" ? [`body${isRequired ? "" : "?"}: ${typeOf(jsonOf(op["requestBody"]))}`] : []),
    ...(body === "import" || body === "rows" || body === "upload" ? [`source: ${source[body]}`] : []),
    ...(query.length > 0 ? [`query${isQueryRequired ? "" : "?"}: ${queryName}`] : []),
    `options?: ${options}${version}${extra}${deviceToken}`,
  ].join(", ");
  const flags = [
    response,
    body,
    query.length > 0 ? "query" : null,
    isCsv ? "csv" : null,
    isVersioned ? "version" : null,
    isKeyed(op) ? "key" : null,
    credential,
    isRepeatable ? "repeatable" : null,
  ].filter((flag) => flag !== null);
  const text = [op["summary"], op["description"]].filter((each) => typeof each === "string").join(". ");
  const result = resultType(success, response);
  const csv = `/** The same as a CSV file (RFC 4180). */\ncsv(${parts}): Promise<string>;`;
  const versioned =
    "/** The same with its version, for the option `ifMatch` of a change. */\n" +
    `withVersion(${parts}): ${result.replace(/^Promise<(.*)>$/, "Promise<Versioned<$1>>")};`;
  const signature = isCsv
    ? withVariant(name, parts, result, csv)
    : isVersioned
      ? withVariant(name, parts, result, versioned)
      : `${name}(${parts}): ${result};`;
  return {
    group,
    name,
    row: [method.toUpperCase(), path, ...flags].join(" "),
    query:
      query.length === 0
        ? null
        : {
            name: queryName,
            about: `/** The query parameters of \`${operationId}\`. */\n`,
            fields: new Map(query.map((each) => [String(each["name"]), queryField(each)])),
          },
    signature: comment(text) + signature,
    schemas: [success, jsonOf(op["requestBody"]), parameters].filter((each) => each !== undefined),
  };
};
