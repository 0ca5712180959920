import { Context, type Effect } from "effect";
import type { HttpServerRequest } from "effect/http";
import type { ApiError } from "../wire/ApiError.ts";
import type { CrossOrigin } from "./CrossOrigin.ts";

/** A request before it is authenticated. */
export interface IncomingRequest {
  readonly request: HttpServerRequest.HttpServerRequest;
  /** The address of the client, behind trusted proxies. */
  readonly clientAddress: string;
  /** The host that the client called. */
  readonly host: string | undefined;
  /** Whether a trusted proxy says that the client called by https. */
  readonly isHttps: boolean;
}

/** The request's facts that an authenticator adds. */
export interface AuthenticatedRequest {
  /** Adds the caller to the services of the handlers. */
  readonly provide: <R>(services: Context.Context<R>) => Context.Context<R>;
  /** Headers of the response, whatever its status. */
  readonly headers: Readonly<Record<string, string>>;
  /** Fields of the access log, such as the workspace. */
  readonly log: Readonly<Record<string, string>>;
}

/** The error that a request is refused with, and headers of the response. */
export interface RefusedRequest {
  readonly error: ApiError;
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * Authenticates the requests to one interface before they are routed and before any of their body is read. So
 * a bad token is 401 even for an unknown path.
 */
export interface Authenticator {
  /** The name of the interface in metrics. */
  readonly name: string;
  /** The URL for the router; null for a request to another interface. */
  readonly match: (incoming: IncomingRequest) => string | null;
  readonly authenticate: (incoming: IncomingRequest) => Effect.Effect<AuthenticatedRequest, RefusedRequest>;
  /** Which pages of other origins may call; left out for none. */
  readonly crossOrigin?: CrossOrigin;
}

/**
 * The authenticators of this process. Paths of no authenticator need no token: health, metrics,
 * documentation.
 */
export class Authenticators extends Context.Service<Authenticators, ReadonlyArray<Authenticator>>()(
  "waypost/http/Authenticators",
) {}
