import { Effect, Redacted } from "effect";
import { FetchHttpClient, HttpBody, HttpClient, HttpClientRequest } from "effect/http";
import type { HttpClientError } from "effect/http";
import { fillPath, type GroupName, routeOf } from "./Contract.ts";
import {
  AttemptTimedOut,
  defaultRetryPolicy,
  type Persistence,
  persistent,
  type Retry,
  retryAfterSeconds,
  type RetryPolicy,
} from "./Retries.ts";
import { type Refusal, refusalError, strangeSuccess, WaypostError } from "./WaypostError.ts";

/** Where a client calls, as whom, and how long it tries. */
export interface ConnectionSettings {
  /**
   * Address of the Waypost, such as `https://push.example.com`: the token says which environment is meant. Or a whole base address,
   * ending in `/platform/v1`, where the installation has its own for an environment.
   */
  readonly url: string | URL;
  /** A token of the platform API; `wps_…` is for Sandbox, `wpp_…` for Production. */
  readonly token: string;
  /** Milliseconds that one attempt may take; 30,000 unless said (imports and uploads: 300,000). */
  readonly timeoutMs?: number | undefined;
  /** When a call is tried again; what is left out is as in `defaultRetryPolicy`. */
  readonly retry?: Partial<RetryPolicy> | undefined;
  /** Told of each failed attempt that is followed by another one: to log it. */
  readonly onRetry?: ((retry: Retry) => void) | undefined;
}

/** What can be said of every call. */
export interface CallOptions {
  /** Ends the call, also between two attempts; it rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds that one attempt of this call may take. */
  readonly timeoutMs?: number | undefined;
}

/** What can be said of every call that changes something. */
export interface ChangeOptions extends CallOptions {
  /**
   * 1 to 255 visible ASCII characters that name this change: with the same key it happens once, also when the program starts anew
   * within 24 hours. Unless given, the client makes one for each call, which covers its own retries.
   */
  readonly idempotencyKey?: string | undefined;
}

/** Imports and uploads take longer than other calls. */
export const slow: CallOptions = { timeoutMs: 300_000 };

/** What is sent: ids of the path, query parameters, and JSON, a file or a form. */
export interface CallInput {
  readonly ids?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string | number | boolean | Date | null | undefined>>;
  readonly json?: unknown;
  readonly raw?: Blob | FormData;
  readonly options?: ChangeOptions | undefined;
}

/** A token that may not show in logs, and the address without `/platform/v1`, with which all paths of the contract begin. */
export const target = (settings: ConnectionSettings) => {
  const token = typeof settings.token === "string" ? settings.token.trim() : "";
  if (!/^[\x21-\x7e]+$/.test(token)) {
    throw new TypeError(
      "Give the client a token of the platform API, as: new WaypostClient({ url, token }).",
    );
  }
  let url: URL;
  try {
    url = new URL(settings.url);
  } catch {
    throw new TypeError(
      `"${String(settings.url)}" is no address: give the client's url as https://push.example.com.`,
    );
  }
  if (url.protocol !== "http:" && url.protocol !== "https:") {
    throw new TypeError(`The client's url must begin with https:// or http://, not ${url.protocol}//.`);
  }
  const path = url.pathname.replace(/\/+$/, "");
  const base = `${url.origin}${path}`;
  if (path.endsWith("/platform/v1"))
    return { token: Redacted.make(token), base: base.slice(0, -"/platform/v1".length) };
  if (token.startsWith("wps_")) return { token: Redacted.make(token), base: `${base}/sandbox` };
  if (token.startsWith("wpp_")) return { token: Redacted.make(token), base };
  throw new TypeError(
    "The token begins neither with wps_ (Sandbox) nor with wpp_ (Production): is it one of the platform API? " +
      "If so, give the whole base address as url, ending in /platform/v1.",
  );
};

/** An `HttpClient` that sends the token, persists, and follows no redirect (one would lose the token or the method). */
export const connected = (settings: ConnectionSettings, timeoutMs = settings.timeoutMs ?? 30_000) => {
  const { token } = target(settings);
  const persistence: Persistence = {
    timeoutMs,
    retry: { ...defaultRetryPolicy, ...withoutUndefined(settings.retry ?? {}) },
    onRetry: settings.onRetry,
  };
  return (client: HttpClient.HttpClient): HttpClient.HttpClient =>
    client.pipe(
      HttpClient.mapRequest(HttpClientRequest.bearerToken(token)),
      HttpClient.mapRequest(HttpClientRequest.acceptJson),
      HttpClient.transform((once) =>
        Effect.provideService(once, FetchHttpClient.RequestInit, { redirect: "manual" }),
      ),
      persistent(persistence),
    );
};

const withoutUndefined = <A extends object>(value: A): A =>
  Object.fromEntries(Object.entries(value).filter(([, each]) => each !== undefined)) as A;

/** Makes one call of the contract: its envelope, or why there is none. */
export const exchange = Effect.fnUntraced(function* (
  settings: ConnectionSettings,
  [group, endpoint]: readonly [group: GroupName, endpoint: string],
  { ids = {}, json, options, query = {}, raw }: CallInput,
): Effect.fn.Return<object, WaypostError, HttpClient.HttpClient> {
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
  const response = yield* Effect.mapError(client.execute(request), (error) => unanswered(url, error));
  const refusal: Refusal = {
    status: response.status,
    headers: response.headers,
    text: yield* Effect.mapError(response.text, (error) => unanswered(url, error)),
    retryAfter: retryAfterSeconds(response.headers, Date.parse(response.headers["date"] ?? "")),
  };
  if (response.status < 200 || response.status >= 300) return yield* Effect.fail(refusalError(refusal));
  const envelope = envelopeOf(refusal.text);
  if (envelope === null) return yield* Effect.fail(strangeSuccess(refusal));
  return envelope;
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

const unanswered = (url: string, error: HttpClientError.HttpClientError): WaypostError => {
  const cause = error.reason.cause;
  const origin = new URL(url).origin;
  return new WaypostError({
    status: null,
    code: cause instanceof AttemptTimedOut ? "timeout" : "network_error",
    message:
      cause instanceof AttemptTimedOut
        ? `${origin} took too long. ${cause.message}`
        : `${origin} gave no answer: ${innermost(cause ?? error)}`,
    cause,
  });
};

/** What `fetch` wraps says what happened: "fetch failed" does not. */
const innermost = (error: unknown): string => {
  let deepest = error;
  for (let depth = 0; depth < 5 && deepest instanceof Error && deepest.cause !== undefined; depth++)
    deepest = deepest.cause;
  const { code, message } = (deepest ?? {}) as { readonly code?: unknown; readonly message?: unknown };
  if (typeof message === "string" && message !== "") return message;
  return typeof code === "string" ? code : String(deepest);
};
