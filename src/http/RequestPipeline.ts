import { Cause, Clock, Context, Effect, type Layer, Option, type Scope, Tracer } from "effect";
import { HttpRouter, HttpServerError, HttpServerRequest, HttpServerResponse } from "effect/http";
import { Settings } from "../config/Settings.ts";
import { Database } from "../database/Database.ts";
import { DataDirectory } from "../database/DataDirectory.ts";
import { CurrentDatabaseTime, DatabaseTime } from "../database/pool/DatabaseTime.ts";
import { withoutPerson } from "../telemetry/PersonMasking.ts";
import { secretMask } from "../telemetry/SecretMasking.ts";
import { InternalError, ServiceUnavailable } from "../wire/ApiError.ts";
import { errorResponse } from "../wire/ErrorResponse.ts";
import { idAt } from "../wire/Ids.ts";
import { calledHost, clientAddress, isCalledByHttps } from "./ClientAddress.ts";
import {
  type AuthenticatedRequest,
  type Authenticator,
  Authenticators,
  type RefusedRequest,
  type IncomingRequest,
} from "./Authenticators.ts";
import { countRequest } from "./HttpMetrics.ts";
import { RouteTable } from "./RouteTable.ts";
import { discardBody } from "./UnreadBody.ts";

type Services = HttpServerRequest.HttpServerRequest | Scope.Scope;
type App = Effect.Effect<HttpServerResponse.HttpServerResponse, unknown, Services>;

const acceptedRequestId = /^[\w.:/+=-]{1,128}$/;

/**
 * The path as a lenient server reads it: decoded (as the router does), without repeated slashes, in lower
 * case.
 */
const lenientPath = (url: string): string => {
  const path = url.split("?", 1)[0] ?? "";
  const decoded = path.replace(/%[0-7][0-9a-f]/gi, (escape) =>
    String.fromCharCode(Number.parseInt(escape.slice(1), 16)),
  );
  return decoded.replace(/\/+/g, "/").toLowerCase();
};

/** The URL for the router, which would end the path at `;` and `#`. */
const routerUrl = (url: string): string => {
  const end = url.indexOf("?");
  const path = end === -1 ? url : url.slice(0, end);
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

const unauthenticated: AuthenticatedRequest = { provide: (services) => services, headers: {}, log: {} };

const requestPipeline = Effect.gen(function* () {
  const { trustedProxies } = yield* Settings;
  const { operatorKey, secretKey } = yield* DataDirectory;
  const mask = secretMask([operatorKey, secretKey]);
  const authenticators = yield* Authenticators;
  const routes = yield* RouteTable;

  const findAuthenticator = (
    incoming: IncomingRequest,
  ): { readonly authenticator: Authenticator; readonly url: string } | null => {
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
      if (error instanceof HttpServerError.HttpServerError && error.reason._tag === "RouteNotFound") {
        const { allow, error: refusal } = routes.refusal(method, url.split("?", 1)[0] ?? "");
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

  const isRefused = (error: unknown): error is RefusedRequest =>
    typeof error === "object" && error !== null && "error" in error && "headers" in error;

  return (app: App): App =>
    Effect.gen(function* () {
      const request = yield* HttpServerRequest.HttpServerRequest;
      const started = yield* Clock.currentTimeMillis;
      const startedAt = performance.now();
      const sent = request.headers["x-request-id"] ?? "";
      const requestId = acceptedRequestId.test(sent) && mask(sent) === sent ? sent : idAt(started);
      const incoming: IncomingRequest = {
        request,
        clientAddress: clientAddress(request, trustedProxies),
        host: calledHost(request, trustedProxies),
        isHttps: isCalledByHttps(request, trustedProxies),
      };
      const found = findAuthenticator(incoming);
      const url = routerUrl(found?.url ?? request.url);
      let authenticated = unauthenticated;

      const respond = Effect.gen(function* () {
        if (found !== null) authenticated = yield* found.authenticator.authenticate(incoming);
        else if (isWholeServer(request) || isDisguisedPath(incoming)) return errorResponse(routes.unknown);
        const routed = url === request.url ? request : request.modify({ url });
        // Services are added one by one: merging contexts would copy all services of the process for each
        // request.
        return yield* Effect.updateContext(app, (services: Context.Context<Services>) =>
          Context.add(authenticated.provide(services), HttpServerRequest.HttpServerRequest, routed),
        );
      }).pipe(Effect.provideService(CurrentDatabaseTime, new DatabaseTime()));

      const response = yield* Effect.catchCause(respond, (cause) => {
        const error = Option.getOrUndefined(Cause.findErrorOption(cause));
        return isRefused(error)
          ? Effect.succeed(errorResponse(error.error, error.headers))
          : failed(cause, request.method, url, requestId);
      });

      const seconds = (performance.now() - startedAt) / 1000;
      yield* countRequest(found?.authenticator.name ?? "other", request.method, response.status, seconds);
      yield* Effect.logInfo("request").pipe(
        Effect.annotateLogs({
          requestId,
          method: request.method,
          path: mask(withoutPerson(request.url.split("?", 1)[0] ?? "")),
          status: response.status,
          ms: Math.round(seconds * 1e5) / 100,
          ip: incoming.clientAddress,
          ...authenticated.log,
        }),
      );
      // Without a tracer there is no span, and the attributes would be made for nothing.
      if (Option.isSome(yield* Effect.serviceOption(Tracer.ParentSpan))) {
        yield* Effect.annotateCurrentSpan({
          "waypost.request_id": requestId,
          ...Object.fromEntries(
            Object.entries(authenticated.log).map(([key, value]) => [`waypost.${key}`, value]),
          ),
        });
      }
      yield* discardBody(request);
      const isUncached = response.headers["cache-control"] === undefined;
      const isApi = found !== null || response.status >= 400;
      return HttpServerResponse.setHeaders(response, {
        ...authenticated.headers,
        ...(isApi && isUncached ? { "cache-control": "no-store" } : {}),
        "x-content-type-options": "nosniff",
        "x-request-id": requestId,
      });
    });
});

/**
 * Runs around every request: request id (a text with the shape of a token is replaced), the authenticator of
 * its interface, one shape for all errors, access log and metrics (contract A5, B1–B3).
 */
export const requestPipelineLayer: Layer.Layer<
  never,
  never,
  HttpRouter.HttpRouter | Settings | DataDirectory | Authenticators | RouteTable
> = HttpRouter.use((router) =>
  Effect.flatMap(
    requestPipeline,
    // The pipeline responds to every error, which the types of the router do not express.
    (handle) => router.addGlobalMiddleware(handle as never) as Effect.Effect<void>,
  ),
);
