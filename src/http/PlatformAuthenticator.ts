import { Clock, Context, Effect } from "effect";
import { Caller } from "../access/Caller.ts";
import { PlatformGate } from "../access/TokenAuthentication.ts";
import type { Door, Refused } from "./Authenticators.ts";
import { PublicAddresses } from "./PublicAddresses.ts";
import { rateLimited, rateLimitHeaders, RateLimits } from "./RateLimits.ts";

const isWrite = (method: string): boolean => method !== "GET" && method !== "HEAD" && method !== "OPTIONS";

/** The door of the platform API: token, environment, workspace, then rate limits (contract B1, 1–5). */
export const platformDoor: Effect.Effect<Door, never, PlatformGate | PublicAddresses | RateLimits> =
  Effect.gen(function* () {
    const gate = yield* PlatformGate;
    const addresses = yield* PublicAddresses;
    const limits = yield* RateLimits;
    return {
      name: "platform",
      match: ({ host, request }) => addresses.classify(host, request.url)?.url ?? null,
      admit: Effect.fnUntraced(function* ({ clientAddress, host, request }) {
        const environment = addresses.classify(host, request.url)?.environment ?? "production";
        const caller = yield* Effect.mapError(
          gate.admit({
            authorization: request.headers["authorization"],
            clientAddress,
            environment,
            otherBase: addresses.base[environment === "sandbox" ? "production" : "sandbox"],
          }),
          (error): Refused => ({ error, headers: {} }),
        );
        const { granted, windows } = yield* limits.take(caller, isWrite(request.method));
        const now = yield* Clock.currentTimeMillis;
        const headers = rateLimitHeaders(windows, now);
        if (!granted) {
          return yield* Effect.fail<Refused>({ error: rateLimited(windows, now), headers });
        }
        return {
          provide: (services) => Context.add(services, Caller, caller),
          headers,
          log: { workspace: caller.workspace.id, environment: caller.environment, token: caller.tokenId },
        };
      }),
    } satisfies Door;
  });
