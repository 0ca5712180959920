/** The first bytes of an answer that are kept, for the result of a test. */
const maxShown = 1_024;
/** The most that is read of an answer, so that its connection can be reused. */
const maxBody = 65_536;

/** The answer of a receiver, or why there was none. */
export interface CallResult {
  readonly statusCode: number | null;
  /** Null for a success. */
  readonly error: string | null;
  /** The header `Retry-After`. */
  readonly retryAfter: string | undefined;
  /** The first kilobyte of the answer; null for none. */
  readonly body: string | null;
}

/** A result without an answer. */
export const unanswered = (error: string): CallResult => ({
  statusCode: null,
  error,
  retryAfter: undefined,
  body: null,
});

/** Whether a result is a success: an answer with a status of 2xx. */
export const isSuccess = ({ error }: CallResult): boolean => error === null;

/** The part of undici's `Dispatcher.DispatchController` that ends a request. */
interface Controller {
  readonly abort: (error: Error) => void;
}

const problemOf = (status: number): string | null => {
  if (status >= 200 && status < 300) return null;
  if (status >= 300 && status < 400) {
    return `The receiver answered with status ${status}: redirects are not followed.`;
  }
  return `The receiver answered with status ${status}: only 2xx is a success.`;
};

/** Reports the result of a request. `isLost`: the connection was lost before any answer. */
export type Done = (result: CallResult, isLost: boolean) => void;

/**
 * One request to a receiver and its answer, as a handler for undici's `dispatch`. The status decides; the
 * body is read so that the connection can be reused, up to 64 KiB.
 */
export class CallExchange {
  /** Null once the result was reported. */
  #done: Done | null;
  #controller: Controller | null = null;
  #status: number | null = null;
  #retryAfter: string | undefined;
  #length = 0;
  #shown = Buffer.alloc(0);

  constructor(done: Done) {
    this.#done = done;
  }

  /** Ends the exchange: with the answer if its status has arrived, else with this error. */
  expire(error: string): void {
    const done = this.#done;
    this.#done = null;
    this.#controller?.abort(new Error("The call has ended"));
    done?.(this.#status === null ? unanswered(error) : this.#answer(this.#status), false);
  }

  #answer(status: number): CallResult {
    return {
      statusCode: status,
      error: problemOf(status),
      retryAfter: this.#retryAfter,
      body: this.#shown.toString("utf8"),
    };
  }

  #report(result: CallResult, isLost = false): void {
    const done = this.#done;
    this.#done = null;
    done?.(result, isLost);
  }

  onRequestStart(controller: Controller): void {
    this.#controller = controller;
    if (this.#done === null) controller.abort(new Error("The call has ended"));
  }

  onResponseStart(
    _: Controller,
    status: number,
    headers: Readonly<Record<string, string | ReadonlyArray<string> | undefined>>,
  ): void {
    // Statuses of 1xx announce the answer.
    if (status < 200) return;
    this.#status = status;
    const after = headers["retry-after"];
    this.#retryAfter = typeof after === "string" ? after : after?.[0];
  }

  onResponseData(controller: Controller, chunk: Buffer): void {
    if (this.#shown.length < maxShown) {
      this.#shown = Buffer.concat([this.#shown, chunk.subarray(0, maxShown - this.#shown.length)]);
    }
    this.#length += chunk.length;
    if (this.#length <= maxBody) return;
    if (this.#status !== null) this.#report(this.#answer(this.#status));
    controller.abort(new Error("The answer of a receiver is too long"));
  }

  onResponseEnd(): void {
    if (this.#status !== null) this.#report(this.#answer(this.#status));
  }

  onResponseError(_: Controller, error: Error & { readonly code?: string }): void {
    if (this.#status !== null) {
      this.#report(this.#answer(this.#status));
      return;
    }
    const { code = error.name } = error;
    const isLost = lost.has(code);
    this.#report(unanswered(`There was no answer from the receiver (${code}).`), isLost);
  }
}

/** Codes of a connection that was closed while the request was sent: often one that was kept for reuse. */
const lost: ReadonlySet<string> = new Set(["UND_ERR_SOCKET", "ECONNRESET", "EPIPE"]);
