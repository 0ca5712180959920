import { Context, type Effect } from "effect";
import type { HttpServerRequest } from "effect/http";
import type { ApiError } from "../wire/ApiError.ts";

/** A request as a door sees it. */
export interface IncomingRequest {
  readonly request: HttpServerRequest.HttpServerRequest;
  /** Where it comes from, behind trusted proxies. */
  readonly clientAddress: string;
  /** The host that was called. */
  readonly host: string | undefined;
}

/** What a door gives a request that it lets in. */
export interface AuthenticatedRequest {
  /** Adds what handlers find among the services: who is asking. */
  readonly provide: <R>(services: Context.Context<R>) => Context.Context<R>;
  /** Headers of the answer, whatever it is. */
  readonly headers: Readonly<Record<string, string>>;
  /** Fields of the access log, such as the workspace. */
  readonly log: Readonly<Record<string, string>>;
}

/**
 * What stands before an interface: it knows the interface's addresses, and lets requests in or not before they are routed
 * and before a byte of their body is read, unknown paths included.
 */
export interface Authenticator {
  /** Names the interface in metrics. */
  readonly name: string;
  /** The URL as the router knows it, or null for a request to something else. */
  readonly match: (visit: IncomingRequest) => string | null;
  readonly authenticate: (visit: IncomingRequest) => Effect.Effect<AuthenticatedRequest, RefusedRequest>;
}

/** A request that a door did not let in, with headers for the answer. */
export interface RefusedRequest {
  readonly error: ApiError;
  readonly headers: Readonly<Record<string, string>>;
}

/** The doors of this process; what is behind none of them needs no token (health, metrics, documentation). */
export class Authenticators extends Context.Service<Authenticators, ReadonlyArray<Authenticator>>()(
  "waypost/http/Authenticators",
) {}
