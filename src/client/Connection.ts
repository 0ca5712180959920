import type { CallOptions, ConnectionSettings } from "./ClientOptions.ts";
import type { ClientClock, FetchHolder, FetchInit, SignalLike, UrlLike } from "./Portable.ts";
import { systemClock } from "./Portable.ts";
import {
  type AttemptResult,
  AttemptTimedOut,
  defaultRetryPolicy,
  retryAfterSeconds,
  type RetryPolicy,
  withRetries,
} from "./Retries.ts";
import { responseError, unexpectedSuccess, WaypostError } from "./WaypostError.ts";

/** A request of a client. */
export interface ClientRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Blob | FormData | string | null;
  readonly isRepeatable: boolean;
  /** Whether the response is a CSV file instead of JSON. */
  readonly isCsv: boolean;
  /** The default timeout of one attempt, in milliseconds. */
  readonly timeoutMs: number;
  readonly options: CallOptions;
}

/** A successful response: its JSON, or the text of a CSV file; and its `ETag`, or null. */
export interface ClientResponse {
  readonly content: object | string;
  readonly version: string | null;
}

/**
 * The address of a server without a trailing slash.
 * @throws TypeError if it is not an http address
 */
export const serverAddress = (
  address: string | UrlLike,
): { readonly origin: string; readonly path: string } => {
  const text = typeof address === "string" ? address : address?.href;
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    throw new TypeError(
      `"${text}" is not an address: set url to an address such as https://push.example.com.`,
    );
  }
  if (url.protocol !== "http:" && url.protocol !== "https:")
    throw new TypeError(`The url must start with https:// or http://, not ${url.protocol}//.`);
  return { origin: url.origin, path: url.pathname.replace(/\/+$/, "") };
};

/**
 * A token or key without spaces around it. `sentence` says what the client needs.
 * @throws TypeError if it is missing or has characters that a header cannot have
 */
export const credential = (value: unknown, sentence: string): string => {
  const text = typeof value === "string" ? value.trim() : "";
  if (!/^[\x21-\x7e]+$/.test(text)) throw new TypeError(sentence);
  return text;
};

const withoutUndefined = <A extends object>(value: A): A =>
  Object.fromEntries(Object.entries(value).filter(([, each]) => each !== undefined)) as A;

/** Sends requests with timeouts and retries, and returns the JSON of successful responses. */
export class Connection {
  readonly #settings: ConnectionSettings;
  readonly #clock: ClientClock;
  readonly #policy: RetryPolicy;

  constructor(settings: ConnectionSettings) {
    this.#settings = settings;
    this.#clock = settings.clock ?? systemClock;
    this.#policy = { ...defaultRetryPolicy, ...withoutUndefined(settings.retry ?? {}) };
  }

  /**
   * Returns the JSON of the response, or the text of a CSV file. Rejects with a `WaypostError`, or with the
   * reason of an aborted signal.
   */
  async exchange(request: ClientRequest): Promise<ClientResponse> {
    const { isRepeatable, method, options, url } = request;
    if (options.signal?.aborted === true) throwReason(options.signal);
    const timeoutMs = options.timeoutMs ?? this.#settings.timeoutMs ?? request.timeoutMs;
    const result = await withRetries(
      {
        method,
        url,
        isRepeatable,
        policy: this.#policy,
        clock: this.#clock,
        signal: options.signal,
        onRetry: this.#settings.onRetry,
      },
      () => this.#attempt(request, timeoutMs),
    );
    const { response } = result;
    if (response === null) throw connectionError(url, result.cause);
    if (response.status < 200 || response.status >= 300) throw responseError(response);
    if (request.isCsv && response.header("content-type")?.startsWith("text/csv") === true)
      return { content: response.text, version: null };
    const content = request.isCsv ? null : envelopeOf(response.text);
    if (content === null) throw unexpectedSuccess(response);
    return { content, version: response.header("etag") };
  }

  /** One attempt including its response body, within its timeout. Redirects are not followed. */
  async #attempt(request: ClientRequest, timeoutMs: number): Promise<AttemptResult> {
    const { body, headers, method, options, url } = request;
    const controller = new AbortController();
    const onAbort = (): void => controller.abort();
    options.signal?.addEventListener("abort", onAbort);
    const cancel = this.#clock.schedule(timeoutMs, () =>
      controller.abort(
        new AttemptTimedOut(`There was no complete response within ${timeoutMs / 1000} seconds.`),
      ),
    );
    const init: FetchInit = {
      method,
      headers,
      redirect: "manual",
      signal: controller.signal,
      ...(body === null ? {} : { body }),
    };
    try {
      const send: FetchHolder["fetch"] =
        this.#settings.fetch ?? ((address, given) => fetch(address, given as RequestInit));
      const response = await send(url, init);
      const header = (name: string): string | null => response.headers.get(name);
      return {
        response: {
          status: response.status,
          header,
          text: await response.text(),
          retryAfter: retryAfterSeconds(header),
        },
      };
    } catch (cause) {
      if (options.signal?.aborted === true) throwReason(options.signal);
      const reason: unknown = controller.signal.reason;
      return { response: null, cause: reason instanceof AttemptTimedOut ? reason : cause };
    } finally {
      cancel();
      options.signal?.removeEventListener("abort", onAbort);
    }
  }
}

const throwReason = ({ reason }: SignalLike): never => {
  // The reason is the caller's, whatever it is.
  throw reason;
};

const envelopeOf = (text: string): object | null => {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && "data" in value ? value : null;
  } catch {
    return null;
  }
};

const connectionError = (url: string, cause: unknown): WaypostError => {
  const { origin } = new URL(url);
  const isTimeout = cause instanceof AttemptTimedOut;
  return new WaypostError({
    status: null,
    code: isTimeout ? "timeout" : "network_error",
    message: isTimeout
      ? `${origin} took too long. ${cause.message}`
      : `${origin} did not respond: ${innermostMessage(cause)}`,
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
