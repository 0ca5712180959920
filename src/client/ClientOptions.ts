import type { ClientClock, FetchHolder, SignalLike, UrlLike } from "./Portable.ts";
import type { Retry, RetryPolicy } from "./Retries.ts";

/** Settings that every client has. */
export interface ConnectionSettings {
  /** Address of the Waypost server, such as `https://push.example.com`. */
  readonly url: string | UrlLike;
  /** Timeout of one attempt, in milliseconds. The default is 30,000; for imports and uploads 300,000. */
  readonly timeoutMs?: number | undefined;
  /** When to retry a call. The defaults are those of `defaultRetryPolicy`. */
  readonly retry?: Partial<RetryPolicy> | undefined;
  /** Called for each failed attempt before it is retried, for example to log it. */
  readonly onRetry?: ((retry: Retry) => void) | undefined;
  /** Sends the requests. The default is the `fetch` of the runtime. */
  readonly fetch?: FetchHolder["fetch"] | undefined;
  /** Time and randomness of the retries, for tests. */
  readonly clock?: ClientClock | undefined;
}

/** Options of every call. */
export interface CallOptions {
  /** Aborts the call, even between two attempts. The call rejects with the signal's reason. */
  readonly signal?: SignalLike | undefined;
  /** Timeout of one attempt of this call, in milliseconds. */
  readonly timeoutMs?: number | undefined;
}

/** Options of every call of the platform API that changes something. */
export interface ChangeOptions extends CallOptions {
  /**
   * A key that identifies this change, of 1 to 255 visible ASCII characters. Calls with the same key within
   * 24 hours make the change once, even if the program restarts. By default the client generates a key for
   * each call, which covers its retries.
   */
  readonly idempotencyKey?: string | undefined;
}

/** The option of a change of one resource that has versions. */
export interface VersionOptions {
  /**
   * The version to change, from `get.withVersion`. If the resource has another version by then, the call
   * rejects with `version_conflict` and changes nothing.
   */
  readonly ifMatch?: string | undefined;
}

/** A resource with its version. */
export interface Versioned<A> {
  readonly data: A;
  /** Changes with every change of the resource. Pass it as `ifMatch`. */
  readonly version: string;
}

/** The confirmation of a deletion. */
export interface Deleted {
  /** Id of the deleted resource. */
  readonly id: string;
  readonly deleted: true;
}
