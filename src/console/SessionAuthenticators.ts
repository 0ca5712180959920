import { Context, Effect } from "effect";
import { CurrentActor } from "../access/Actor.ts";
import { Caller, operatorToken } from "../access/Caller.ts";
import { CallerAuthentication, workspaceHeader } from "../access/CallerAuthentication.ts";
import { Settings } from "../config/Settings.ts";
import type { Authenticator, IncomingRequest, RefusedRequest } from "../http/Authenticators.ts";
import { classifier } from "../http/PublicAddresses.ts";
import { IsOperator } from "../operator/OperatorAccess.ts";
import { type ApiError, Forbidden, Unauthorized } from "../wire/ApiError.ts";
import { CurrentSession } from "./CurrentSession.ts";
import { readSessionCookie, sessionCookieName } from "./SessionCookie.ts";
import { type OpenSession, Sessions } from "./Sessions.ts";

/** The header in which a page names its session, so that a tab does not act for another person. */
const sessionHeader = "waypost-session";

const base = { platform: "/platform/v1", sandbox: "/sandbox/platform/v1" };
const operatorBase = "/operator/v1";
const ownPath = "/console/session";

const ended = Unauthorized.of("unauthenticated", "Your session has ended: sign in again.");
const replaced = Unauthorized.of(
  "unauthenticated",
  "Somebody else has signed in with this browser since: reload the page.",
);
const notOperator = Forbidden.of(
  "missing_ability",
  "This session was opened with a platform API token: only the operator may do this.",
);
/** The parts of a request that say which page sent it. */
interface RequestOrigin {
  /** The `Sec-Fetch-Site` header, which browsers send to https addresses and to localhost. */
  readonly fetchSite: string | undefined;
  /** The `Origin` header. */
  readonly origin: string | undefined;
  /** The host that the client called. */
  readonly host: string | undefined;
  readonly isSecure: boolean;
}

/** The 403 of a request that another site may have sent. */
const crossOrigin = Forbidden.of(
  "cross_origin",
  "A session of the console works for pages of the same origin only: open the console itself, at https or " +
    "at localhost. A program uses a token in the Authorization header instead.",
);

/** Whether a page of this origin sent the request. A request that does not say so may come from any site. */
export const isSameOrigin = ({ fetchSite, host, isSecure, origin }: RequestOrigin): boolean => {
  if (fetchSite === "same-origin") return true;
  // A browser that sends the header and names another site is believed, whatever the Origin.
  if (fetchSite !== undefined || origin === undefined || host === undefined) return false;
  const server = URL.parse(`${isSecure ? "https" : "http"}://${host}`);
  return server !== null && origin === server.origin;
};

/** Names the session as the author of changes: the person, else the token (contract S5). */
const withActor = <R>(services: Context.Context<R>, { id, name }: OpenSession, otherwise: string) =>
  Context.add(services, CurrentActor, { type: "session", id, name: name ?? otherwise });

const isBelow = (url: string, path: string): boolean =>
  url === path || url.startsWith(`${path}/`) || url.startsWith(`${path}?`);

/** The environment and the router's URL of a platform request. With a session only the path counts. */
const classify = classifier(undefined, undefined);

/** The authenticators of requests that have the cookie of a session, and of the console's own endpoints. */
export const sessionAuthenticators = Effect.gen(function* () {
  const { productionUrl } = yield* Settings;
  const sessions = yield* Sessions;
  const callers = yield* CallerAuthentication;
  const isPublicHttps = productionUrl?.startsWith("https:") ?? false;

  const isSecure = (incoming: IncomingRequest): boolean => isPublicHttps || incoming.isHttps;
  const cookieName = (incoming: IncomingRequest): string =>
    sessionCookieName(isSecure(incoming), incoming.host);
  const cookieOf = (incoming: IncomingRequest): string | null =>
    readSessionCookie(incoming.request.headers["cookie"], cookieName(incoming));

  /** A request with a credential of its own is no request of the session. */
  const hasSession = (incoming: IncomingRequest): boolean =>
    incoming.request.headers["authorization"] === undefined && cookieOf(incoming) !== null;

  const requireSameOrigin = (incoming: IncomingRequest) => {
    const { host, request } = incoming;
    const { origin, "sec-fetch-site": fetchSite } = request.headers;
    return isSameOrigin({ fetchSite, origin, host, isSecure: isSecure(incoming) })
      ? Effect.void
      : Effect.fail(crossOrigin);
  };

  const findSession = Effect.fnUntraced(function* (incoming: IncomingRequest) {
    yield* requireSameOrigin(incoming);
    const cookie = cookieOf(incoming);
    const session = cookie === null ? null : yield* sessions.find(cookie, incoming.clientAddress);
    if (session === null) return yield* ended;
    const named = incoming.request.headers[sessionHeader];
    return named === undefined || named === session.id ? session : yield* replaced;
  });

  const callerOf = Effect.fnUntraced(function* ({ tokenId }: OpenSession, { request }: IncomingRequest) {
    const environment = classify(undefined, request.url)?.environment ?? "production";
    if (tokenId === null) {
      return yield* callers.authenticateOperator(request.headers[workspaceHeader], environment);
    }
    const otherBase = environment === "sandbox" ? base.platform : base.sandbox;
    return (yield* callers.authenticateGrant(tokenId, { environment, otherBase })) ?? (yield* ended);
  });

  const asRefused = <A, E extends ApiError>(effect: Effect.Effect<A, E>) =>
    Effect.mapError(effect, (error): RefusedRequest => ({ error, headers: {} }));

  const platform: Authenticator = {
    name: "platform",
    match: (incoming) =>
      hasSession(incoming) ? (classify(undefined, incoming.request.url)?.url ?? null) : null,
    authenticate: Effect.fnUntraced(function* (incoming) {
      const session = yield* asRefused(findSession(incoming));
      const caller = yield* asRefused(callerOf(session, incoming));
      return {
        provide: (services) => withActor(Context.add(services, Caller, caller), session, caller.token.name),
        headers: {},
        log: { workspace: caller.workspace.id, environment: caller.environment, session: session.id },
      };
    }),
  };

  const operator: Authenticator = {
    name: "operator",
    match: (incoming) => {
      const { url } = incoming.request;
      return hasSession(incoming) && isBelow(url, operatorBase) ? url : null;
    },
    authenticate: Effect.fnUntraced(function* (incoming) {
      const session = yield* asRefused(findSession(incoming));
      if (session.tokenId !== null) return yield* asRefused(Effect.fail(notOperator));
      return {
        provide: (services) =>
          withActor(Context.add(services, IsOperator, true), session, operatorToken.name),
        headers: {},
        log: { session: session.id },
      };
    }),
  };

  const own: Authenticator = {
    name: "console",
    match: ({ request: { url } }) => (url === ownPath || url.startsWith(`${ownPath}?`) ? url : null),
    authenticate: Effect.fnUntraced(function* (incoming) {
      yield* asRefused(requireSameOrigin(incoming));
      const cookie = cookieOf(incoming);
      const { clientAddress } = incoming;
      const session = cookie === null ? null : yield* asRefused(sessions.find(cookie, clientAddress));
      const found = { session, cookie, clientAddress, cookieName: cookieName(incoming) };
      return {
        provide: (services) => Context.add(services, CurrentSession, found),
        headers: {},
        log: session === null ? {} : { session: session.id },
      };
    }),
  };

  return [platform, operator, own];
});
