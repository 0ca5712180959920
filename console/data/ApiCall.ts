/** Calls of the published interfaces with the cookie of the session. */
import { signal } from "@preact/signals";
import { environment, workspaceId } from "../session/Scope.ts";
import { machineNow } from "./ServerTime.ts";
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

/** A call: the method, a JSON body or a file, and headers. */
export interface CallOptions {
  readonly method?: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  readonly json?: unknown;
  readonly body?: Blob | FormData;
  /** The version that a change expects. Another current version is refused with `version_conflict`. */
  readonly ifMatch?: string | undefined;
  /** Makes a change once, however often it is sent. */
  readonly idempotencyKey?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** A successful answer: its JSON, and the version of the resource. */
export interface Answered<Body> {
  readonly body: Body;
  readonly etag: string | null;
}

/** Since when the server has not answered, in milliseconds since 1970; null while it answers. */
export const awaySince = signal<number | null>(null);

const timeoutMillis = 30_000;

/** The base path of the platform API for the environment of the page. */
export const platformBase = (): string =>
  environment.value === "sandbox" ? "/sandbox/platform/v1" : "/platform/v1";

const isPlatform = (path: string): boolean => /^(?:\/sandbox)?\/platform\/v1\//.test(path);

/** The headers of a request: the session, the workspace, and what the options say. */
export const headersOf = (path: string, options: CallOptions): Headers => {
  const headers = new Headers({ accept: "application/json" });
  const session = currentSession.value;
  if (session !== null) headers.set("waypost-session", session.id);
  if (session?.kind === "operator" && isPlatform(path) && workspaceId.value !== null)
    headers.set("waypost-workspace", workspaceId.value);
  if (options.json !== undefined) headers.set("content-type", "application/json");
  else if (options.body instanceof Blob && options.body.type !== "")
    headers.set("content-type", options.body.type);
  if (options.ifMatch !== undefined) headers.set("if-match", options.ifMatch);
  if (options.idempotencyKey !== undefined) headers.set("idempotency-key", options.idempotencyKey);
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

/** The problem that a refusal names. */
export const problemOf = (status: number, { error = {} }: ErrorBody): ApiProblem =>
  new ApiProblem(
    status,
    error.code ?? "unexpected_answer",
    error.message ?? `The server answered with status ${status}.`,
    error.fields,
  );

/** The server did not answer. */
export const noAnswer = (): ApiProblem =>
  new ApiProblem(null, "network_error", "The server does not answer. Nothing is lost: try again.");

const send = async (path: string, options: CallOptions): Promise<Response> => {
  const timeout = AbortSignal.timeout(options.body === undefined ? timeoutMillis : 10 * timeoutMillis);
  try {
    return await fetch(path, {
      method: options.method ?? "GET",
      headers: headersOf(path, options),
      body: options.json === undefined ? (options.body ?? null) : JSON.stringify(options.json),
      signal: options.signal === undefined ? timeout : AbortSignal.any([options.signal, timeout]),
      cache: "no-store",
      redirect: "error",
    });
  } catch (error) {
    if (options.signal?.aborted === true) throw error;
    awaySince.value ??= machineNow();
    throw noAnswer();
  }
};

/** Sends a request to a path of the server. @throws ApiProblem */
export const request = async (path: string, options: CallOptions = {}): Promise<Response> => {
  const response = await send(path, options);
  if (response.ok) {
    awaySince.value = null;
    return response;
  }
  const problem = problemOf(response.status, (await response.json().catch(() => ({}))) as ErrorBody);
  if (problem.status === 502 || problem.status === 503 || problem.status === 504)
    awaySince.value ??= machineNow();
  else awaySince.value = null;
  if (problem.status === 401 && path !== "/console/session") endSession(problem);
  throw problem;
};

/** Sends a request and reads its JSON. @throws ApiProblem */
export const call = async <Body>(path: string, options: CallOptions = {}): Promise<Answered<Body>> => {
  const response = await request(path, options);
  return { body: (await response.json()) as Body, etag: response.headers.get("etag") };
};

/** A call of the platform API in the workspace and environment of the page. @throws ApiProblem */
export const platform = <Body>(path: string, options?: CallOptions): Promise<Answered<Body>> =>
  call<Body>(platformBase() + path, options);

/** A call of the operator interface. @throws ApiProblem */
export const operator = <Body>(path: string, options?: CallOptions): Promise<Answered<Body>> =>
  call<Body>(`/operator/v1${path}`, options);
