import type { ClientRequest, ClientResponse, Connection } from "./Connection.ts";
import {
  type Arguments,
  argumentsOf,
  type Endpoint,
  type EndpointTable,
  parseRow,
  type Query,
  queryText,
} from "./EndpointRequest.ts";
import { isFileSource, openFile } from "./FileSource.ts";
import { type Pages, pagesOf } from "./Pages.ts";
import type { FileSource } from "./Portable.ts";
import { WaypostError } from "./WaypostError.ts";

/** The server and the credential of a table's requests. */
export interface EndpointTarget {
  readonly connection: Connection;
  /** The base address that the paths are relative to. */
  readonly base: string;
  /**
   * The token or key for an endpoint.
   * @throws TypeError if the client has none for it
   */
  readonly credentialFor: (isSdkKey: boolean) => string;
  /** Headers of every request. */
  readonly headers?: Readonly<Record<string, string>>;
}

const defaultPageSize = 100;

/** Timeout of one attempt of imports and uploads, and of other calls, in milliseconds. */
const timeouts = { files: 300_000, others: 30_000 };

type SentBody = { readonly body: ClientRequest["body"]; readonly type: string | null };

const noBody: SentBody = { body: null, type: null };

const json = (value: unknown): SentBody =>
  value === undefined ? noBody : { body: JSON.stringify(value), type: "application/json" };

/** The body of a request. A form has no type here: its boundary is chosen when it is sent. */
const bodyOf = async ({ has }: Endpoint, { body, options }: Arguments): Promise<SentBody> => {
  if (has("upload")) {
    const { blob, name } = await openFile(body as FileSource);
    const form = new FormData();
    if (options.name !== undefined) form.set("name", options.name);
    form.set("file", blob, name ?? "file");
    return { body: form, type: null };
  }
  if (has("rows")) {
    const { blob, name } = await openFile(body as FileSource);
    const type = /\.(ndjson|jsonl|json)$/i.test(name ?? "") ? "application/x-ndjson" : "text/csv";
    return { body: blob, type: blob.type || type };
  }
  if (has("import") && isFileSource(body)) {
    const { blob } = await openFile(body, "application/geo+json");
    return { body: blob, type: blob.type };
  }
  return has("body") || has("import") ? json(body) : noBody;
};

/** A random UUID. Browsers offer `crypto.randomUUID` on https pages only. */
const newKey = (): string => {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");
};

const sendTo = async (
  target: EndpointTarget,
  endpoint: Endpoint,
  given: Arguments,
  query: Query,
): Promise<ClientResponse> => {
  const { has, method } = endpoint;
  const { options } = given;
  const isCsv = query["format"] === "csv";
  const { body, type } = await bodyOf(endpoint, given);
  const key = has("key") ? (options.idempotencyKey ?? newKey()) : null;
  const headers = {
    accept: isCsv ? "text/csv, application/json" : "application/json",
    ...target.headers,
    authorization: `Bearer ${target.credentialFor(has("sdk-key"))}`,
    ...(type === null ? {} : { "content-type": type }),
    ...(key === null ? {} : { "idempotency-key": key }),
    ...(options.ifMatch === undefined ? {} : { "if-match": options.ifMatch }),
    ...(options.deviceToken === undefined ? {} : { "x-device-token": options.deviceToken }),
  };
  return target.connection.exchange({
    method,
    url: target.base + given.path + queryText(query, options),
    headers,
    body,
    isCsv,
    isRepeatable: key !== null || has("repeatable") || ["GET", "PUT", "DELETE"].includes(method),
    timeoutMs: has("import") || has("rows") || has("upload") ? timeouts.files : timeouts.others,
    options,
  });
};

interface ListEnvelope {
  readonly data: ReadonlyArray<unknown>;
  readonly meta: { readonly next_cursor: string | null };
}

/** The stack of an error ends where `await` was: adds the frames of the caller, which the reader needs. */
const withCaller = (error: unknown, caller: { readonly stack?: string }): unknown => {
  const frames = caller.stack?.split("\n").filter((line) => /^\s+at |@/.test(line)) ?? [];
  if (error instanceof WaypostError && frames.length > 0)
    error.stack = [`${error.name}: ${error.message}`, ...frames].join("\n");
  return error;
};

const dataOf = (content: object | string): unknown => (content as { readonly data: unknown }).data;

type Method = (...given: ReadonlyArray<unknown>) => unknown;
type Run = (query?: Query) => Promise<ClientResponse>;

/** The run of the requests of one call. `above` is the method that the program calls. */
const runOf = (
  target: EndpointTarget,
  endpoint: Endpoint,
  given: ReadonlyArray<unknown>,
  above: Method,
): Run => {
  const caller: { readonly stack?: string } = {};
  // Only V8 has it. Elsewhere stacks begin where the response was read.
  const { captureStackTrace } = Error as { captureStackTrace?: (holder: object, above: unknown) => void };
  captureStackTrace?.(caller, above);
  return async (query = {}) => {
    try {
      const read = argumentsOf(endpoint, given);
      return await sendTo(target, endpoint, read, { ...read.query, ...query });
    } catch (error) {
      throw withCaller(error, caller);
    }
  };
};

const method = (target: EndpointTarget, row: string): Method => {
  const endpoint = parseRow(row);
  const call: Method = (...given) => {
    const run = runOf(target, endpoint, given, call);
    if (endpoint.has("pages")) return listOf(endpoint, given, run);
    return run().then(({ content }) => (endpoint.has("envelope") ? content : dataOf(content)));
  };
  const csv: Method = (...given) =>
    runOf(target, endpoint, given, csv)({ format: "csv" }).then(({ content }) => content);
  const withVersion: Method = (...given) =>
    runOf(target, endpoint, given, withVersion)().then(({ content, version }) => ({
      data: dataOf(content),
      version,
    }));
  if (endpoint.has("csv")) return Object.assign(call, { csv });
  return endpoint.has("version") ? Object.assign(call, { withVersion }) : call;
};

const listOf = (endpoint: Endpoint, given: ReadonlyArray<unknown>, run: Run): Pages<unknown> => {
  const { query } = argumentsOf(endpoint, given);
  const limit = endpoint.has("query") ? { limit: query["limit"] ?? defaultPageSize } : {};
  return pagesOf(
    async (cursor) => {
      const { data, meta } = (await run({ ...limit, cursor })).content as ListEnvelope;
      return { items: data, nextCursor: meta.next_cursor };
    },
    typeof query["cursor"] === "string" ? query["cursor"] : undefined,
  );
};

/** The groups of a table, each with a method for every endpoint. The generated types name them. */
export const endpointGroups = (table: EndpointTable, target: EndpointTarget): object =>
  Object.fromEntries(
    Object.entries(table).map(([group, rows]) => [
      group,
      Object.fromEntries(Object.entries(rows).map(([name, row]) => [name, method(target, row)])),
    ]),
  );
