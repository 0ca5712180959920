import { Context, type Effect } from "effect";
import type { Tenant } from "../workspaces/Workspace.ts";

/** A request with an Idempotency-Key. Its scope is workspace, environment, path and key (contract J1). */
export interface IdempotentRequest {
  readonly tenant: Tenant;
  /** Without the query string. */
  readonly path: string;
  readonly key: string;
  /** The token, session or operator key that sends the request. */
  readonly author: string;
}

/** The response to the first request. It is sealed, and has the author of the request. */
export interface StoredResponse {
  readonly status: number;
  readonly content_type: string | null;
  /** The body that an older version stored; null for a sealed one. */
  readonly body: Uint8Array | null;
  readonly sealed: Uint8Array | null;
  readonly author: string | null;
}

/** The outcome of an attempt to lock a request. */
export interface Claim {
  /** False if another transaction holds the lock. */
  readonly isLocked: boolean;
  /** The response that is stored, also if another transaction holds the lock. */
  readonly stored: StoredResponse | null;
}

/** Stores the responses to idempotent requests. Instants are epoch milliseconds. */
export class IdempotencyRepository extends Context.Service<
  IdempotencyRepository,
  {
    /**
     * Locks the request until the end of the transaction, unless another transaction holds the lock. Then
     * finds the response that was stored after `since`. Both take one round trip.
     */
    readonly claim: (request: IdempotentRequest, since: number) => Effect.Effect<Claim>;
    /** Stores the response, over an older one of the same request. */
    readonly store: (
      request: IdempotentRequest,
      response: StoredResponse,
      now: number,
    ) => Effect.Effect<void>;
    /** Deletes at most `limit` responses that were stored at `before` or earlier; gives how many. */
    readonly prune: (before: number, limit: number) => Effect.Effect<number>;
  }
>()("waypost/http/IdempotencyRepository") {}
