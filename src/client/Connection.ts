import { Effect, Redacted } from "effect";
import { FetchHttpClient, HttpBody, HttpClient, HttpClientRequest } from "effect/http";
import type { HttpClientError } from "effect/http";
import { fillPath, type GroupName, routeOf } from "./Contract.ts";
import {
  AttemptTimedOut,
  defaultRetryPolicy,
  type Retry,
  retryAfterSeconds,
  type RetryPolicy,
  type RetrySettings,
  retrying,
} from "./Retries.ts";
import { type ReceivedResponse, responseError, unexpectedSuccess, WaypostError } from "./WaypostError.ts";

/** Settings of a connection: the server, the token, and how to retry. */
export interface ConnectionSettings {
  /**
   * Address of the Waypost server, such as `https://push.example.com`; the token selects the environment. If
   * an environment has its own base address, give that address, ending in `/platform/v1`.
   */
  readonly url: string | URL;
  /** A platform API token: `wps_…` for Sandbox, `wpp_…` for Production. */
  readonly token: string;
  /** Timeout of one attempt, in milliseconds. The default is 30,000; for imports and uploads 300,000. */
  readonly timeoutMs?: number | undefined;
  /** When to retry a call. The defaults are those of `defaultRetryPolicy`. */
  readonly retry?: Partial<RetryPolicy> | undefined;
  /** Called for each failed attempt before it is retried, for example to log it. */
  readonly onRetry?: ((retry: Retry) => void) | undefined;
}

/** Options of every call. */
export interface CallOptions {
  /** Aborts the call, even between two attempts. The call rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /** Timeout of one attempt of this call, in milliseconds. */
  readonly timeoutMs?: number | undefined;
}

/** Options of every call that changes something. */
export interface ChangeOptions extends CallOptions {
  /**
   * A key that identifies this change, of 1 to 255 visible ASCII characters. Calls with the same key within
   * 24 hours make the change once, even if the program restarts. By default the client generates a key for
   * each call, which covers its retries.
   */
  readonly idempotencyKey?: string | undefined;
}

/** Options of imports and uploads, which take longer than other calls. */
export const slow: CallOptions = { timeoutMs: 300_000 };

/** The input of a call: ids of the path, query parameters, and JSON, a file or a form. */
export interface CallInput {
  readonly ids?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string | number | boolean | Date | null | undefined>>;
  readonly json?: unknown;
  readonly raw?: Blob | FormData;
  readonly options?: ChangeOptions | undefined;
}

/**
 * The redacted token, and the base address without `/platform/v1`, which every path starts with.
 * @throws TypeError if the token or the address is invalid
 */
export const target = (settings: ConnectionSettings) => {
  const token = typeof settings.token === "string" ? settings.token.trim() : "";
  if (!/^[\x21-\x7e]+$/.test(token)) {
    throw new TypeError("The client needs a platform API token: new WaypostClient({ url, token }).");
  }
  let url: URL;
  try {
    url = new URL(settings.url);
  } catch {
    throw new TypeError(
      `"${String(settings.url)}" is not an address: set url to an address such as https://push.example.com.`,
    );
  }
  if (url.protocol !== "http:" && url.protocol !== "https:") {
    throw new TypeError(`The url must start with https:// or http://, not ${url.protocol}//.`);
  }
  const path = url.pathname.replace(/\/+$/, "");
  const base = `${url.origin}${path}`;
  if (path.endsWith("/platform/v1"))
    return { token: Redacted.make(token), base: base.slice(0, -"/platform/v1".length) };
  if (token.startsWith("wps_")) return { token: Redacted.make(token), base: `${base}/sandbox` };
  if (token.startsWith("wpp_")) return { token: Redacted.make(token), base };
  throw new TypeError(
    "The token starts neither with wps_ (Sandbox) nor with wpp_ (Production). If it is a platform API " +
      "token, set url to the base address of its environment, ending in /platform/v1.",
  );
};

/** Adds the token and retries. Redirects are not followed: they would drop the token or the method. */
export const connected = (settings: ConnectionSettings, timeoutMs = settings.timeoutMs ?? 30_000) => {
  const { token } = target(settings);
  const retries: RetrySettings = {
    timeoutMs,
    retry: { ...defaultRetryPolicy, ...withoutUndefined(settings.retry ?? {}) },
    onRetry: settings.onRetry,
  };
  return (client: HttpClient.HttpClient): HttpClient.HttpClient =>
    client.pipe(
      HttpClient.mapRequest(HttpClientRequest.bearerToken(token)),
      HttpClient.mapRequest(HttpClientRequest.acceptJson),
      HttpClient.transform((attempt) =>
        Effect.provideService(attempt, FetchHttpClient.RequestInit, { redirect: "manual" }),
      ),
      retrying(retries),
    );
};

const withoutUndefined = <A extends object>(value: A): A =>
  Object.fromEntries(Object.entries(value).filter(([, each]) => each !== undefined)) as A;

/** Calls one endpoint and returns its response, if it succeeds. */
const receive = Effect.fnUntraced(function* (
  settings: ConnectionSettings,
  [group, endpoint]: readonly [group: GroupName, endpoint: string],
  { ids = {}, json, options, query = {}, raw }: CallInput,
): Effect.fn.Return<ReceivedResponse, WaypostError, HttpClient.HttpClient> {
  const { method, path } = routeOf(group, endpoint);
  const url = target(settings).base + fillPath(path, ids);
  const parameters = Object.entries(query).flatMap(([name, value]) =>
    value === undefined || value === null
      ? []
      : [[name, value instanceof Date ? value.toISOString() : String(value)] as const],
  );
  const request = HttpClientRequest.make(method as "GET")(url, {
    urlParams: parameters,
    ...(options?.idempotencyKey === undefined
      ? {}
      : { headers: { "idempotency-key": options.idempotencyKey } }),
    ...(raw !== undefined || json !== undefined ? { body: bodyOf(raw, json) } : {}),
  });
  const client = connected(settings, options?.timeoutMs)(yield* HttpClient.HttpClient);
  const response = yield* Effect.mapError(client.execute(request), (error) => connectionError(url, error));
  const received: ReceivedResponse = {
    status: response.status,
    headers: response.headers,
    text: yield* Effect.mapError(response.text, (error) => connectionError(url, error)),
    retryAfter: retryAfterSeconds(response.headers, Date.parse(response.headers["date"] ?? "")),
  };
  if (response.status < 200 || response.status >= 300) return yield* Effect.fail(responseError(received));
  return received;
});

/** Calls one endpoint and returns the JSON body of the response. */
export const exchange = Effect.fnUntraced(function* (
  settings: ConnectionSettings,
  endpoint: readonly [group: GroupName, endpoint: string],
  input: CallInput,
) {
  const received = yield* receive(settings, endpoint, input);
  const envelope = envelopeOf(received.text);
  if (envelope === null) return yield* Effect.fail(unexpectedSuccess(received));
  return envelope;
});

/** Calls one endpoint and returns its response as CSV. */
export const exchangeCsv = Effect.fnUntraced(function* (
  settings: ConnectionSettings,
  endpoint: readonly [group: GroupName, endpoint: string],
  { query, ...input }: CallInput,
) {
  const received = yield* receive(settings, endpoint, { ...input, query: { ...query, format: "csv" } });
  if (received.headers["content-type"]?.startsWith("text/csv") !== true) {
    return yield* Effect.fail(unexpectedSuccess(received));
  }
  return received.text;
});

const bodyOf = (raw: Blob | FormData | undefined, json: unknown) => {
  if (raw instanceof FormData) return HttpBody.formData(raw);
  if (raw !== undefined) return HttpBody.raw(raw, { contentType: raw.type });
  return HttpBody.text(JSON.stringify(json), "application/json");
};

const envelopeOf = (text: string): object | null => {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && "data" in value ? value : null;
  } catch {
    return null;
  }
};

const connectionError = (url: string, error: HttpClientError.HttpClientError): WaypostError => {
  const cause = error.reason.cause;
  const origin = new URL(url).origin;
  return new WaypostError({
    status: null,
    code: cause instanceof AttemptTimedOut ? "timeout" : "network_error",
    message:
      cause instanceof AttemptTimedOut
        ? `${origin} took too long. ${cause.message}`
        : `${origin} did not respond: ${innermostMessage(cause ?? error)}`,
    cause,
  });
};

/** The message of the innermost cause. `fetch` wraps it in an error that only says "fetch failed". */
const innermostMessage = (error: unknown): string => {
  let deepest = error;
  for (let depth = 0; depth < 5 && deepest instanceof Error && deepest.cause !== undefined; depth++)
    deepest = deepest.cause;
  const { code, message } = (deepest ?? {}) as { readonly code?: unknown; readonly message?: unknown };
  if (typeof message === "string" && message !== "") return message;
  return typeof code === "string" ? code : String(deepest);
};
