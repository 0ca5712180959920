import { Clock, Context, Effect } from "effect";
import { CurrentActor } from "../access/Actor.ts";
import { Caller } from "../access/Caller.ts";
import { TokenAuthentication } from "../access/TokenAuthentication.ts";
import type { Authenticator, RefusedRequest } from "./Authenticators.ts";
import { PublicAddresses } from "./PublicAddresses.ts";
import { rateLimited, rateLimitHeaders, RateLimits } from "./RateLimits.ts";

/** Questions that have a body: they change nothing and count as reads (contract S4). */
const questions = /\/(?:segments\/count|campaigns\/estimate)(?:\?|$)/;

const isWrite = (method: string, url: string): boolean =>
  method !== "GET" && method !== "HEAD" && method !== "OPTIONS" && !questions.test(url);

/**
 * Authenticates requests to the platform API: token, environment, workspace, then rate limits (contract B1,
 * 1–5).
 */
export const platformAuthenticator: Effect.Effect<
  Authenticator,
  never,
  TokenAuthentication | PublicAddresses | RateLimits
> = Effect.gen(function* () {
  const tokens = yield* TokenAuthentication;
  const addresses = yield* PublicAddresses;
  const limits = yield* RateLimits;
  return {
    name: "platform",
    match: ({ host, request }) => addresses.classify(host, request.url)?.url ?? null,
    authenticate: Effect.fnUntraced(function* ({ clientAddress, host, request }) {
      const environment = addresses.classify(host, request.url)?.environment ?? "production";
      const caller = yield* Effect.mapError(
        tokens.authenticate({
          authorization: request.headers["authorization"],
          clientAddress,
          environment,
          otherBase: addresses.base[environment === "sandbox" ? "production" : "sandbox"],
        }),
        (error): RefusedRequest => ({ error, headers: {} }),
      );
      const { granted, windows } = yield* limits.take(caller, isWrite(request.method, request.url));
      const now = yield* Clock.currentTimeMillis;
      const headers = rateLimitHeaders(windows, now);
      if (!granted) {
        return yield* Effect.fail<RefusedRequest>({ error: rateLimited(windows, now), headers });
      }
      return {
        provide: (services) =>
          Context.add(Context.add(services, Caller, caller), CurrentActor, {
            type: "token",
            id: caller.tokenId,
            name: caller.tokenName,
          }),
        headers,
        log: { workspace: caller.workspace.id, environment: caller.environment, token: caller.tokenId ?? "" },
      };
    }),
  } satisfies Authenticator;
});
