/**
 * The parts of the runtime's types that the client's interface needs. With them its declarations compile in
 * every program: without the types of browsers, of Node.js or of a library.
 */

/** An address: a `URL`. */
export interface UrlLike {
  readonly href: string;
}

/** A file in memory or on disk: a `Blob` or `File`. */
export interface BlobLike {
  readonly size: number;
  readonly type: string;
  slice(start?: number, end?: number, contentType?: string): BlobLike;
}

/** A file: its path or file URL (Node.js only), or a `Blob` or `File`. */
export type FileSource = string | UrlLike | BlobLike;

/** The signal of an `AbortController`. */
export interface SignalLike {
  readonly aborted: boolean;
  readonly reason: unknown;
  addEventListener(type: "abort", listener: () => void): void;
  removeEventListener(type: "abort", listener: () => void): void;
}

/** The request that a `fetch` gets. */
export interface FetchInit {
  readonly method?: string;
  readonly headers?: unknown;
  readonly body?: unknown;
  readonly redirect?: unknown;
  readonly signal?: unknown;
}

/** The parts of a response that the client reads. */
export interface FetchedResponse {
  readonly status: number;
  readonly headers: { get(name: string): string | null };
  text(): Promise<string>;
}

/** A function like `fetch`. A method's parameters are compared loosely, so that `fetch` itself fits. */
export interface FetchHolder {
  fetch(url: string, init: FetchInit): Promise<FetchedResponse>;
}

/** Time and randomness of the retries. */
export interface ClientClock {
  /** Milliseconds since any fixed moment. */
  readonly now: () => number;
  /** Runs a function after some milliseconds. Returns a function that cancels it. */
  readonly schedule: (milliseconds: number, run: () => void) => () => void;
  /** A number from 0 up to 1. */
  readonly random: () => number;
}

/** The clock and the random numbers of the runtime. */
export const systemClock: ClientClock = {
  now: () => performance.now(),
  schedule: (milliseconds, run) => {
    const timer = setTimeout(run, milliseconds);
    return () => clearTimeout(timer);
  },
  random: () => Math.random(),
};
