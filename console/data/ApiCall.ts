/** Calls of the published interfaces with the cookie of the session. */
import { signal } from "@preact/signals";
import { environment } from "../session/Scope.ts";
import { plainMessage, plainSentence } from "./PlainWords.ts";
import { machineNow } from "./ServerTime.ts";
import type { Page } from "./Resources.ts";
import { currentSession, endSession } from "../session/SessionState.ts";

/** A refused or failed call. `status` is null if the server did not answer. */
export class ApiProblem extends Error {
  override readonly name = "ApiProblem";
  readonly status: number | null;
  readonly code: string;
  /** Sentences by dotted field name. */
  readonly fields: Readonly<Record<string, ReadonlyArray<string>>>;

  constructor(
    status: number | null,
    code: string,
    message: string,
    fields: Readonly<Record<string, ReadonlyArray<string>>> = {},
  ) {
    super(message);
    this.status = status;
    this.code = code;
    this.fields = fields;
  }

  /** Whether the same call may succeed later without a change. */
  get isTemporary(): boolean {
    return this.status === null || this.status === 429 || this.status >= 500;
  }
}

/** The sentences of a problem: those of its fields, or its own. */
export const sentencesOf = (problem: unknown): ReadonlyArray<string> => {
  if (!(problem instanceof ApiProblem)) return [problem instanceof Error ? problem.message : String(problem)];
  const sentences = Object.values(problem.fields).flat();
  return sentences.length === 0 ? [problem.message] : sentences;
};

/** A request that is not sent yet: its path on the server, its method, a JSON body, and headers. */
export interface ApiRequest<Body> {
  readonly path: string;
  readonly method?: string;
  readonly json?: unknown;
  /** The version that a change expects. Another current version is refused with `version_conflict`. */
  readonly ifMatch?: string | undefined;
  /** Whether a read that is repeated gets the data only if its version has changed. */
  readonly isConditional?: boolean;
  /** The version that is known. If it is still the current one, the answer is without a body. */
  readonly ifNoneMatch?: string | null;
  /** Makes a change once, however often it is sent. */
  readonly idempotencyKey?: string | undefined;
  /** The workspace of the page that described it, which may be another one when it is sent. */
  readonly workspace?: string | null;
  readonly signal?: AbortSignal | undefined;
  /** The type of the JSON of the answer. It has no value. */
  readonly answer?: Body;
}

/** Since when the server has not answered, in milliseconds since 1970; null while it answers. */
export const awaySince = signal<number | null>(null);

const timeoutMillis = 30_000;

/** The base path of the platform API for the environment of the page. */
export const platformBase = (): string =>
  environment.value === "sandbox" ? "/sandbox/platform/v1" : "/platform/v1";

const isPlatform = (path: string): boolean => /^(?:\/sandbox)?\/platform\/v1\//.test(path);

/** The headers of a request: the session, the workspace, and those of a change. */
export const headersOf = ({
  idempotencyKey,
  ifMatch,
  ifNoneMatch,
  json,
  path,
  workspace,
}: ApiRequest<unknown>): Headers => {
  const headers = new Headers({ accept: "application/json" });
  const session = currentSession.value;
  if (session !== null) headers.set("waypost-session", session.id);
  if (session?.kind === "operator" && isPlatform(path) && workspace)
    headers.set("waypost-workspace", workspace);
  if (json !== undefined) headers.set("content-type", "application/json");
  if (ifMatch !== undefined) headers.set("if-match", ifMatch);
  if (typeof ifNoneMatch === "string") headers.set("if-none-match", ifNoneMatch);
  if (idempotencyKey !== undefined) headers.set("idempotency-key", idempotencyKey);
  return headers;
};

/** The body of a refusal. */
export interface ErrorBody {
  readonly error?: {
    readonly code?: string;
    readonly message?: string;
    readonly fields?: Readonly<Record<string, ReadonlyArray<string>>>;
  };
}

/** The problem that a refusal names, in plain words. */
export const problemOf = (status: number, { error = {} }: ErrorBody): ApiProblem => {
  const { code = "unexpected_answer", fields = {}, message } = error;
  return new ApiProblem(
    status,
    code,
    message === undefined ? `The server answered with status ${status}.` : plainMessage(code, message),
    Object.fromEntries(
      Object.entries(fields).map(([field, sentences]) => [
        field,
        sentences.map((sentence) => plainSentence(sentence, field)),
      ]),
    ),
  );
};

/** The server did not answer. */
export const noAnswer = (): ApiProblem =>
  new ApiProblem(null, "network_error", "The server does not answer. Nothing is lost: try again.");

const respond = async (request: ApiRequest<unknown>): Promise<Response> => {
  const { json, method = "GET", path, signal } = request;
  const timeout = AbortSignal.timeout(timeoutMillis);
  try {
    return await fetch(path, {
      method,
      headers: headersOf(request),
      body: json === undefined ? null : JSON.stringify(json),
      signal: signal === undefined ? timeout : AbortSignal.any([signal, timeout]),
      cache: "no-store",
      redirect: "error",
    });
  } catch (error) {
    if (signal?.aborted === true) throw error;
    awaySince.value ??= machineNow();
    throw noAnswer();
  }
};

/** Sends a request and returns the response. @throws ApiProblem */
export const fetchResponse = async (request: ApiRequest<unknown>): Promise<Response> => {
  const response = await respond(request);
  if (response.ok || response.status === 304) {
    awaySince.value = null;
    return response;
  }
  const problem = problemOf(response.status, (await response.json().catch(() => ({}))) as ErrorBody);
  if (problem.status === 502 || problem.status === 503 || problem.status === 504)
    awaySince.value ??= machineNow();
  else awaySince.value = null;
  if (problem.status === 401 && request.path !== "/console/session") endSession(problem);
  throw problem;
};

/** Sends a request and returns its JSON. @throws ApiProblem */
export const send = async <Body>(request: ApiRequest<Body>): Promise<Body> =>
  (await (await fetchResponse(request)).json()) as Body;

/** The request with parameters that it does not have yet. */
export const withParameters = <Body>(
  request: ApiRequest<Body>,
  parameters: Readonly<Record<string, string>>,
): ApiRequest<Body> => {
  const [path = "", text] = request.path.split("?");
  const query = new URLSearchParams(text);
  for (const [name, value] of Object.entries(parameters)) if (!query.has(name)) query.set(name, value);
  return { ...request, path: `${path}?${query.toString()}` };
};

/** The most pages that are read of a list that is read whole. */
const maxPages = 200;

/** All items of a list, in as many requests as it has pages. @throws ApiProblem */
export const sendWhole = async <Item>(
  request: ApiRequest<Page<Item>>,
  maxItems = Infinity,
): Promise<Page<Item>> => {
  const items: Array<Item> = [];
  let cursor: string | null = "";
  for (let page = 0; page < maxPages && cursor !== null && items.length < maxItems; page++) {
    const { data, meta }: Page<Item> = await send(
      withParameters(request, { limit: "100", ...(cursor === "" ? {} : { cursor }) }),
    );
    items.push(...data);
    cursor = meta.next_cursor;
  }
  return { data: items, meta: { next_cursor: cursor } };
};
