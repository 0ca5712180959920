/** The operations of an OpenAPI document as methods of the client. */
import { isJson, type Json } from "../../src/wire/OpenApiDescriptions.ts";
import { comment, typeOf } from "./TypeScript.ts";

/** An operation, as a row of the client's table and as a method of an interface. */
export interface Operation {
  readonly group: string;
  readonly name: string;
  /** The row of the table: method, path, and what the client has to know about the operation. */
  readonly row: string;
  /** The query parameters as an interface; null without any. */
  readonly query: { readonly name: string; readonly text: string } | null;
  readonly signature: string;
  /** The schemas whose types the method needs. */
  readonly schemas: ReadonlyArray<unknown>;
}

/**
 * Changes without an idempotency key that have no further effect if they are repeated: events and answers are
 * recognized, positions become stale.
 */
const repeatable = new Set(["events.report", "positions.report", "messages.open", "answers.answer"]);

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

const successOf = (responses: Json): Json => {
  const [, response] = Object.entries(responses).find(([status]) => status.startsWith("2")) ?? [];
  const schema = jsonOf(response);
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

/** The kind of a request's body: JSON, a GeoJSON import, a form with a file, or none. */
const bodyKind = (operationId: string, requestBody: unknown): "body" | "import" | "upload" | null => {
  if (requestBody === undefined) return null;
  if (operationId === "locations.import") return "import";
  return jsonOf(requestBody) === undefined ? "upload" : "body";
};

/** The kind of a response: pages of a list, figures with their range, or the data alone. */
const responseKind = (success: Json): "pages" | "envelope" | null => {
  const meta = (success["properties"] as Json)["meta"];
  if (!isJson(meta)) return null;
  return isJson(meta["properties"]) && "next_cursor" in meta["properties"] ? "pages" : "envelope";
};

/** Whether data is the confirmation of a deletion, which is the same for every resource (contract A4). */
const isDeletion = (data: unknown): boolean =>
  isJson(data) &&
  isJson(data["properties"]) &&
  Object.keys(data["properties"]).toSorted().join() === "deleted,id";

/** Whether an operation can respond with a CSV file. */
const hasCsv = (responses: Json): boolean =>
  Object.entries(responses).some(([status, response]) => {
    const content = isJson(response) ? response["content"] : undefined;
    return status.startsWith("2") && isJson(content) && "text/csv" in content;
  });

const resultType = (success: Json, kind: ReturnType<typeof responseKind>): string => {
  const data = (success["properties"] as Json)["data"];
  if (kind === "pages") return `Pages<${typeOf(isJson(data) ? data["items"] : undefined)}>`;
  if (isDeletion(data)) return "Promise<Deleted>";
  return `Promise<${typeOf(kind === "envelope" ? success : data)}>`;
};

/** Reads an operation. `path` is relative to the server of the document. */
export const operationOf = (method: string, path: string, op: Json): Operation => {
  const operationId = String(op["operationId"]);
  const [group = "", name = ""] = operationId.split(".");
  const parameters = op["parameters"] as ReadonlyArray<Json>;
  const success = successOf(op["responses"] as Json);
  const response = responseKind(success);
  const body = bodyKind(operationId, op["requestBody"]);
  const has = (header: string): boolean =>
    parameters.some((each) => String(each["name"]).toLowerCase() === header);

  const query = parameters.filter(
    (each) => each["in"] === "query" && !internalParameters.has(String(each["name"])),
  );
  const queryName = `${capital(group)}${capital(name)}Query`;
  const isQueryRequired = query.some(({ required }) => required === true);
  const isKeyed = has("idempotency-key");
  const isCsv = hasCsv(op["responses"] as Json);
  const credential = JSON.stringify(op["security"]).includes("sdkKey") ? "sdk-key" : null;
  const options = isKeyed ? "ChangeOptions" : "CallOptions";
  const extra = {
    body: "",
    import: " & { readonly dryRun?: boolean | undefined }",
    upload: " & { readonly name?: string | undefined }",
  }[body ?? "body"];
  const deviceToken = has("x-device-token") ? " & { readonly deviceToken?: string | undefined }" : "";

  const source = { import: "FeatureCollection | FileSource", upload: "FileSource" };
  const parts = [
    ...parameters
      .filter((each) => each["in"] === "path")
      .map((each) => `${camel(String(each["name"]))}: ${pathType(each)}`),
    ...(body === "body" ? [`body: ${typeOf(jsonOf(op["requestBody"]))}`] : []),
    ...(body === "import" || body === "upload" ? [`source: ${source[body]}`] : []),
    ...(query.length > 0 ? [`query${isQueryRequired ? "" : "?"}: ${queryName}`] : []),
    `options?: ${options}${extra}${deviceToken}`,
  ];
  const flags = [
    response,
    body,
    query.length > 0 ? "query" : null,
    isCsv ? "csv" : null,
    isKeyed ? "key" : null,
    credential,
    repeatable.has(operationId) ? "repeatable" : null,
  ].filter((flag) => flag !== null);
  const text = [op["summary"], op["description"]].filter((each) => typeof each === "string").join(". ");
  return {
    group,
    name,
    row: [method.toUpperCase(), path, ...flags].join(" "),
    query:
      query.length === 0
        ? null
        : {
            name: queryName,
            text:
              `/** The query parameters of \`${operationId}\`. */\n` +
              `export interface ${queryName} {\n${query.map(queryField).join("\n")}\n}\n`,
          },
    signature: isCsv
      ? `${comment(text)}readonly ${name}: {\n(${parts.join(", ")}): ${resultType(success, response)};\n` +
        `/** The same as a CSV file (RFC 4180). */\ncsv(${parts.join(", ")}): Promise<string>;\n};`
      : `${comment(text)}${name}(${parts.join(", ")}): ${resultType(success, response)};`,
    schemas: [success, jsonOf(op["requestBody"]), parameters].filter((each) => each !== undefined),
  };
};
