import { Cause, Clock, Context, Effect, type Layer, Option, type Scope, Tracer } from "effect";
import { HttpRouter, HttpServerError, HttpServerRequest, HttpServerResponse } from "effect/http";
import { Settings } from "../config/Settings.ts";
import { Database } from "../database/Database.ts";
import { DataDirectory } from "../database/DataDirectory.ts";
import { CurrentDatabaseTime, DatabaseTime } from "../database/pool/DatabaseTime.ts";
import { AccessLogEntry } from "../telemetry/AccessLogEntry.ts";
import { withoutPerson } from "../telemetry/PersonMasking.ts";
import { secretMask } from "../telemetry/SecretMasking.ts";
import { InternalError, ServiceUnavailable } from "../wire/ApiError.ts";
import { errorResponse } from "../wire/ErrorResponse.ts";
import { idAt } from "../wire/Ids.ts";
import { clientOf } from "./ClientAddress.ts";
import {
  type AuthenticatedRequest,
  type Authenticator,
  Authenticators,
  type RefusedRequest,
  type IncomingRequest,
} from "./Authenticators.ts";
import { isPreflight, preflightResponse } from "./CrossOrigin.ts";
import { countRequest } from "./HttpMetrics.ts";
import { RequestActivity } from "./RequestActivity.ts";
import { RouteTable } from "./RouteTable.ts";
import { withLoggedBody } from "./connections/LoggedBody.ts";
import { framingRefusal } from "./connections/RequestFraming.ts";
import { discardBody } from "./connections/UnreadBody.ts";

type Services = HttpServerRequest.HttpServerRequest | Scope.Scope;
type App = Effect.Effect<HttpServerResponse.HttpServerResponse, unknown, Services>;

const acceptedRequestId = /^[\w.:/+=-]{1,128}$/;

/**
 * The path as a lenient server reads it: decoded (as the router does), without repeated slashes, in lower
 * case.
 */
const lenientPath = (url: string): string => {
  const decoded = pathOf(url).replace(/%[0-7][0-9a-f]/gi, (escape) =>
    String.fromCharCode(Number.parseInt(escape.slice(1), 16)),
  );
  return decoded.replace(/\/+/g, "/").toLowerCase();
};

/** The URL for the router, which would end the path at `;` and `#`. */
const routerUrl = (url: string): string => {
  const path = pathOf(url);
  return /[;#]/.test(path)
    ? path.replaceAll(";", "%3B").replaceAll("#", "%23") + url.slice(path.length)
    : url;
};

/** Whether the target is `*`, the server as a whole, whose `url` is that of the start page. */
const isWholeServer = ({ originalUrl }: HttpServerRequest.HttpServerRequest): boolean => originalUrl === "*";

/** The responses while the database cannot run a statement. */
const unavailable = {
  away: ServiceUnavailable.of(),
  busy: ServiceUnavailable.of(
    "Other requests hold what this one needs for too long: try again in a few seconds.",
  ),
  full: ServiceUnavailable.of(
    "The service cannot store changes at the moment: try again in half a minute.",
    30,
  ),
};

/** The authenticator of a request, and the URL for the router. */
interface Matched {
  readonly authenticator: Authenticator;
  readonly url: string;
}

/** Facts of a request after its authentication. */
interface RequestState {
  readonly url: string;
  authenticated: AuthenticatedRequest;
}

const isRefused = (error: unknown): error is RefusedRequest =>
  typeof error === "object" && error !== null && "error" in error && "headers" in error;

const pathOf = (url: string): string => {
  const end = url.indexOf("?");
  return end === -1 ? url : url.slice(0, end);
};

/** The endpoint of another URL than that of the request. */
const routed = (app: App, request: HttpServerRequest.HttpServerRequest, url: string): App =>
  url === request.url
    ? app
    : Effect.provideService(app, HttpServerRequest.HttpServerRequest, request.modify({ url }));

/** Adds the request to its span, if it has one. */
const annotateSpan = (
  services: Context.Context<never>,
  requestId: string,
  log: AuthenticatedRequest["log"],
): void => {
  const span = Context.getOrUndefined(services, Tracer.ParentSpan);
  if (span === undefined || span._tag !== "Span") return;
  span.attribute("waypost.request_id", requestId);
  for (const [name, value] of Object.entries(log)) span.attribute(`waypost.${name}`, value);
};

const unauthenticated: AuthenticatedRequest = { provide: (services) => services, headers: {}, log: {} };

const requestPipeline = Effect.gen(function* () {
  const { trustedProxies } = yield* Settings;
  const { operatorKey, secretKey } = yield* DataDirectory;
  const mask = secretMask([operatorKey, secretKey]);
  const authenticators = yield* Authenticators;
  const routes = yield* RouteTable;
  const activity = yield* RequestActivity;

  const match = (incoming: IncomingRequest): Matched | null => {
    for (const authenticator of authenticators) {
      const url = authenticator.match(incoming);
      if (url !== null) return { authenticator, url };
    }
    return null;
  };

  /** Whether the path of no interface is one for a lenient server. Routing it would bypass authentication. */
  const isDisguisedPath = (incoming: IncomingRequest): boolean => {
    const request = incoming.request.modify({ url: lenientPath(incoming.request.url) });
    return authenticators.some((authenticator) => authenticator.match({ ...incoming, request }) !== null);
  };

  /** The response to a failure that is not an error of the endpoint. */
  const failed = (cause: Cause.Cause<unknown>, method: string, url: string, requestId: string) =>
    Effect.suspend(() => {
      const error = Option.getOrUndefined(Cause.findErrorOption(cause));
      if (isRefused(error)) return Effect.succeed(errorResponse(error.error, error.headers));
      if (error instanceof HttpServerError.HttpServerError && error.reason._tag === "RouteNotFound") {
        const { allow, error: refusal } = routes.refusal(method, pathOf(url));
        return Effect.succeed(errorResponse(refusal, allow === null ? {} : { allow }));
      }
      if (Cause.hasInterruptsOnly(cause)) return Effect.failCause(cause);
      const unavailability = Database.unavailability(cause);
      if (unavailability !== null) return Effect.succeed(errorResponse(unavailable[unavailability]));
      return Effect.as(
        Effect.annotateLogs(Effect.logError("A request failed with an internal error", cause), { requestId }),
        errorResponse(InternalError.of(requestId)),
      );
    });

  /** Runs the endpoint for an authenticated request, or refuses it. */
  const respondTo = (
    app: App,
    incoming: IncomingRequest,
    matched: Matched | null,
    state: RequestState,
  ): App => {
    const { request } = incoming;
    const misframed = framingRefusal(request);
    if (misframed !== null) return Effect.succeed(misframed);
    if (matched === null) {
      const isRefused = isWholeServer(request) || isDisguisedPath(incoming);
      return isRefused ? Effect.succeed(errorResponse(routes.unknown)) : routed(app, request, state.url);
    }
    const { crossOrigin } = matched.authenticator;
    if (crossOrigin !== undefined && isPreflight(request)) {
      const { allow, error } = routes.refusal("OPTIONS", pathOf(state.url));
      return Effect.succeed(allow === null ? errorResponse(error) : preflightResponse(crossOrigin, allow));
    }
    return Effect.flatMap(matched.authenticator.authenticate(incoming), (authenticated) => {
      state.authenticated = authenticated;
      return Effect.updateContext(routed(app, request, state.url), authenticated.provide<Services>);
    });
  };

  return (app: App): App =>
    Effect.contextWith((services: Context.Context<Services>) => {
      const request = Context.get(services, HttpServerRequest.HttpServerRequest);
      const startedAt = performance.now();
      activity.record();
      const sent = request.headers["x-request-id"];
      const requestId =
        sent !== undefined && acceptedRequestId.test(sent) && mask(sent) === sent
          ? sent
          : idAt(Context.get(services, Clock.Clock).currentTimeMillisUnsafe());
      const incoming: IncomingRequest = { request, ...clientOf(request, trustedProxies) };
      const matched = match(incoming);
      const state: RequestState = {
        url: routerUrl(matched?.url ?? request.url),
        authenticated: unauthenticated,
      };

      const finish = (response: HttpServerResponse.HttpServerResponse): App => {
        const { authenticated } = state;
        activity.record();
        const seconds = (performance.now() - startedAt) / 1000;
        const name = matched?.authenticator.name ?? "other";
        countRequest(services, name, request.method, response.status, seconds);
        annotateSpan(services, requestId, authenticated.log);
        const entry = new AccessLogEntry({
          requestId,
          method: request.method,
          path: mask(withoutPerson(pathOf(request.url))),
          status: response.status,
          ms: Math.round(seconds * 1e5) / 100,
          ip: incoming.clientAddress,
          ...authenticated.log,
        });
        const isUncached = response.headers["cache-control"] === undefined;
        const isApi = matched !== null || response.status >= 400;
        const finished = HttpServerResponse.setHeaders(response, {
          ...authenticated.headers,
          ...matched?.authenticator.crossOrigin?.headersFor(request.headers["origin"]),
          ...(isApi && isUncached ? { "cache-control": "no-store" } : {}),
          "x-content-type-options": "nosniff",
          "x-request-id": requestId,
        });
        return Effect.as(
          Effect.andThen(Effect.logInfo(entry), discardBody(request)),
          withLoggedBody(finished, requestId),
        );
      };

      return respondTo(app, incoming, matched, state).pipe(
        Effect.provideService(CurrentDatabaseTime, new DatabaseTime()),
        Effect.catchCause((cause) => failed(cause, request.method, state.url, requestId)),
        Effect.flatMap(finish),
      );
    });
});

/**
 * Runs around every request: request id (a text with the shape of a token is replaced), the authenticator of
 * its interface, one shape for all errors, access log and metrics (contract A5, B1–B3).
 */
export const requestPipelineLayer: Layer.Layer<
  never,
  never,
  HttpRouter.HttpRouter | Settings | DataDirectory | Authenticators | RouteTable | RequestActivity
> = HttpRouter.use((router) =>
  Effect.flatMap(
    requestPipeline,
    // The pipeline responds to every error, which the types of the router do not express.
    (handle) => router.addGlobalMiddleware(handle as never) as Effect.Effect<void>,
  ),
);
