import { Clock, Context, Effect } from "effect";
import { CurrentActor } from "../access/Actor.ts";
import { actorOf, Caller, isOperator } from "../access/Caller.ts";
import { CallerAuthentication, workspaceHeader } from "../access/CallerAuthentication.ts";
import { noteRequest } from "../database/RecentWorkspaces.ts";
import type { Authenticator, RefusedRequest } from "./Authenticators.ts";
import { Settings } from "../config/Settings.ts";
import { listedOrigins } from "./CrossOrigin.ts";
import { PublicAddresses } from "./PublicAddresses.ts";
import { rateLimited, rateLimitHeaders, RateLimits } from "./RateLimits.ts";

/** Questions that have a body: they change nothing and count as reads (contract S4, X17). */
const questions = /\/(?:segments\/count|campaigns\/estimate|notifications\/preview)$/;

const isWrite = (method: string, url: string): boolean =>
  !["GET", "HEAD", "OPTIONS"].includes(method) && !questions.test(url.split("?", 1)[0] ?? "");

/** The request headers that the platform API reads (contract Y19). */
const readHeaders =
  "Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, Traceparent, Waypost-Workspace";

/**
 * Authenticates requests to the platform API: caller, environment, workspace, then the rate limits of tokens
 * (contract B1, 1–5).
 */
export const platformAuthenticator: Effect.Effect<
  Authenticator,
  never,
  CallerAuthentication | PublicAddresses | RateLimits | Settings
> = Effect.gen(function* () {
  const callers = yield* CallerAuthentication;
  const addresses = yield* PublicAddresses;
  const limits = yield* RateLimits;
  const { corsOrigins } = yield* Settings;
  return {
    name: "platform",
    ...(corsOrigins.size === 0 ? {} : { crossOrigin: listedOrigins(corsOrigins, readHeaders) }),
    match: ({ host, request }) => addresses.classify(host, request.url)?.url ?? null,
    authenticate: Effect.fnUntraced(function* ({ clientAddress, host, request }) {
      const environment = addresses.classify(host, request.url)?.environment ?? "production";
      const caller = yield* Effect.mapError(
        callers.authenticate({
          authorization: request.headers["authorization"],
          workspace: request.headers[workspaceHeader],
          clientAddress,
          environment,
          otherBase: addresses.base[environment === "sandbox" ? "production" : "sandbox"],
        }),
        (error): RefusedRequest => ({ error, headers: {} }),
      );
      noteRequest(caller.workspaceId);
      const provide = <R>(services: Context.Context<R>): Context.Context<R> =>
        Context.add(Context.add(services, Caller, caller), CurrentActor, actorOf(caller));
      const log = { workspace: caller.workspace.id, environment: caller.environment };
      // The limits are those of a plan, to which the operator is not held (contract W1).
      if (isOperator(caller)) return { provide, headers: {}, log };
      const { granted, windows } = yield* limits.take(caller, isWrite(request.method, request.url));
      const now = yield* Clock.currentTimeMillis;
      const headers = rateLimitHeaders(windows, now);
      if (!granted) {
        return yield* Effect.fail<RefusedRequest>({ error: rateLimited(windows, now), headers });
      }
      return { provide, headers, log: { ...log, token: caller.token.id ?? "" } };
    }),
  } satisfies Authenticator;
});
