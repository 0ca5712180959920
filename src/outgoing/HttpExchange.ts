import { type Clock, Data } from "effect";
import { retryAfterMillis } from "./RetryAfter.ts";

/** The first bytes of a body that are kept. */
const maxKept = 16_384;
/** The most that is read of a body, so that its connection can be reused. */
const maxRead = 65_536;

/** The response to a request. */
export interface HttpResponse {
  readonly status: number;
  /** The first 16 KiB. */
  readonly body: Buffer;
  /** Milliseconds, from `Retry-After`. */
  readonly retryAfter: number | null;
  /** The `Location` header as it was received. */
  readonly location: string | undefined;
}

/** Codes without a connection: the server cannot have received anything. */
const neverArrived: ReadonlySet<string> = new Set([
  "ENOTFOUND",
  "EAI_AGAIN",
  "ECONNREFUSED",
  "EHOSTUNREACH",
  "ENETUNREACH",
]);
/** Codes of a connection that was closed while the request was sent: often one that was kept for reuse. */
const lost: ReadonlySet<string> = new Set(["UND_ERR_SOCKET", "ECONNRESET", "EPIPE"]);

/** There was no whole response: the host is unknown or not public, or the connection was refused or lost. */
export class NotReached extends Data.TaggedError("NotReached")<{
  readonly host: string;
  /** The code of the system, of TLS or of undici; `ENOTFOUND` for a host without an address. */
  readonly code: string;
  /** The code, or the words of undici. */
  readonly detail: string;
  /** The host is not on the public internet: a retry would fail in the same way. */
  readonly isPrivate?: boolean;
  /** The part of the response that arrived. */
  readonly received?: HttpResponse | null;
}> {
  /** Whether the server may have the request. */
  get mayHaveArrived(): boolean {
    return !neverArrived.has(this.code);
  }

  /** Whether the connection was lost before any response. */
  get isLost(): boolean {
    return lost.has(this.code) && (this.received ?? null) === null;
  }
}

/** Receives the result of a request. */
export type Done = (result: HttpResponse | NotReached) => void;

/** The end of a request; of undici's `Dispatcher.DispatchController`. */
interface Controller {
  readonly abort: (error: Error) => void;
}

type Headers = Readonly<Record<string, string | ReadonlyArray<string> | undefined>>;

const first = (header: Headers[string]): string | undefined =>
  typeof header === "string" ? header : header?.[0];

/**
 * One HTTP request and its response, as a handler for undici's `dispatch`. Reads the response to its end, so
 * that the connection can be reused; a body over 64 KiB closes the connection. With `isHeadOnly` the head of
 * the response ends the exchange.
 */
export class HttpExchange {
  readonly #host: string;
  readonly #clock: Clock.Clock;
  readonly #isHeadOnly: boolean;
  /** Null once the result was reported, or the request canceled. */
  #done: Done | null;
  #controller: Controller | null = null;
  #head: Omit<HttpResponse, "body"> | null = null;
  #length = 0;
  readonly #chunks: Array<Buffer> = [];

  constructor(host: string, clock: Clock.Clock, done: Done, isHeadOnly = false) {
    this.#host = host;
    this.#clock = clock;
    this.#done = done;
    this.#isHeadOnly = isHeadOnly;
  }

  /** Whether the result was reported, or the request canceled. */
  get isOver(): boolean {
    return this.#done === null;
  }

  /** The response so far; null before its head. */
  get received(): HttpResponse | null {
    if (this.#head === null) return null;
    const [chunk] = this.#chunks;
    const bytes = this.#chunks.length === 1 && chunk !== undefined ? chunk : Buffer.concat(this.#chunks);
    return { ...this.#head, body: bytes.subarray(0, maxKept) };
  }

  /** Ends the request without a result. */
  cancel(): void {
    this.#done = null;
    this.#controller?.abort(new Error("The request was canceled"));
  }

  /** Reports a result, unless the exchange is over. */
  report(result: HttpResponse | NotReached | null): void {
    const done = this.#done;
    this.#done = null;
    if (result !== null) done?.(result);
  }

  onRequestStart(controller: Controller): void {
    this.#controller = controller;
    if (this.#done === null) this.cancel();
  }

  onResponseStart(controller: Controller, status: number, headers: Headers): void {
    // Statuses of 1xx announce the response.
    if (status < 200) return;
    const after = first(headers["retry-after"]);
    this.#head = {
      status,
      retryAfter: after === undefined ? null : retryAfterMillis(after, this.#clock.currentTimeMillisUnsafe()),
      location: first(headers["location"]),
    };
    if (this.#isHeadOnly) this.#enough(controller);
  }

  onResponseData(controller: Controller, chunk: Buffer): void {
    if (this.#length < maxKept) this.#chunks.push(chunk);
    this.#length += chunk.length;
    if (this.#length > maxRead) this.#enough(controller);
  }

  onResponseEnd(): void {
    this.report(this.received);
  }

  onResponseError(_: Controller, error: Error & { readonly code?: string }): void {
    const { code = error.name } = error;
    const isSystemCode = error.code !== undefined && !code.startsWith("UND_ERR");
    const detail = isSystemCode ? code : error.message.slice(0, 200);
    this.report(new NotReached({ host: this.#host, code, detail, received: this.received }));
  }

  #enough(controller: Controller): void {
    this.report(this.received);
    controller.abort(new Error("The rest of the response is not read"));
  }
}
