import { type Clock, Data } from "effect";
import { type PushOutcome, retryAfterMillis } from "./PushTransport.ts";

const maxText = 16_384;
const maxBody = 262_144;

/** The response of a push provider. */
export interface ProviderResponse {
  readonly status: number;
  /** The first 16 KiB of the body. */
  readonly text: string;
  /** Milliseconds, from `Retry-After`. */
  readonly retryAfter: number | null;
}

/** Error codes without a connection: the provider cannot have received anything. */
const neverArrived: ReadonlySet<string> = new Set([
  "ENOTFOUND",
  "EAI_AGAIN",
  "ECONNREFUSED",
  "EHOSTUNREACH",
  "ENETUNREACH",
]);

/** There was no response: the host is unknown or not public, or the connection was refused or lost. */
export class NotReached extends Data.TaggedError("NotReached")<{
  readonly host: string;
  /** The error code of the system or of TLS, or Waypost's own. */
  readonly code: string;
  /** A retry would fail in the same way. */
  readonly isPermanent: boolean;
}> {
  /** The outcome of the push. */
  get outcome(): PushOutcome {
    return this.isPermanent
      ? { _tag: "Refused", reason: `The push service must be on the public internet: ${this.host} is not.` }
      : {
          _tag: "Unavailable",
          reason: `There was no answer from ${this.host} (${this.code}).`,
          retryAfter: null,
          mayHaveArrived: !neverArrived.has(this.code),
        };
  }
}

/** Receives the result of a request. */
export type Done = (result: ProviderResponse | NotReached) => void;

/** The part of undici's `Dispatcher.DispatchController` that ends a request. */
interface Controller {
  readonly abort: (error: Error) => void;
}

/**
 * One HTTP request and its response, as a handler for undici's `dispatch`. Reads the response to its end, so
 * that the connection can be reused; a body over 256 KiB closes the connection.
 */
export class HttpExchange {
  readonly #host: string;
  readonly #clock: Clock.Clock;
  /** Null once the result was reported, or the request canceled. */
  #done: Done | null;
  #controller: Controller | null = null;
  #status = 0;
  #retryAfter: string | undefined;
  #length = 0;
  readonly #chunks: Array<Buffer> = [];

  constructor(host: string, clock: Clock.Clock, done: Done) {
    this.#host = host;
    this.#clock = clock;
    this.#done = done;
  }

  cancel(): void {
    this.#done = null;
    this.#controller?.abort(new Error("The push was canceled"));
  }

  #report(result: ProviderResponse | NotReached): void {
    const done = this.#done;
    this.#done = null;
    done?.(result);
  }

  #respond(): void {
    const [first] = this.#chunks;
    const bytes = this.#chunks.length === 1 && first !== undefined ? first : Buffer.concat(this.#chunks);
    this.#report({
      status: this.#status,
      text: bytes.toString("utf8", 0, maxText),
      retryAfter:
        this.#retryAfter === undefined
          ? null
          : retryAfterMillis(this.#retryAfter, this.#clock.currentTimeMillisUnsafe()),
    });
  }

  onRequestStart(controller: Controller): void {
    this.#controller = controller;
    if (this.#done === null) this.cancel();
  }

  onResponseStart(
    _: Controller,
    status: number,
    headers: Readonly<Record<string, string | ReadonlyArray<string> | undefined>>,
  ): void {
    this.#status = status;
    const after = headers["retry-after"];
    this.#retryAfter = typeof after === "string" ? after : after?.[0];
  }

  onResponseData(controller: Controller, chunk: Buffer): void {
    if (this.#length < maxText) this.#chunks.push(chunk);
    this.#length += chunk.length;
    if (this.#length <= maxBody) return;
    this.#respond();
    controller.abort(new Error("The response of a push provider is too long"));
  }

  onResponseEnd(): void {
    this.#respond();
  }

  onResponseError(_: Controller, error: Error & { readonly code?: string }): void {
    const { code } = error;
    const isUndiciCode = code === undefined || code.startsWith("UND_ERR");
    this.#report(
      new NotReached({
        host: this.#host,
        code: isUndiciCode ? error.message.slice(0, 200) : code,
        isPermanent: false,
      }),
    );
  }
}
