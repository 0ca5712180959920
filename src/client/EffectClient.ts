import { Effect } from "effect";
import { HttpApiClient } from "effect/http-api";
import type { HttpClient } from "effect/http";
import { PlatformApi } from "../PlatformApi.ts";
import { connected, type ConnectionSettings, target } from "./Connection.ts";

/** The platform API as Effect derives it: one method per endpoint, with decoded values and typed errors. */
export type EffectClient = HttpApiClient.ForApi<typeof PlatformApi>;

/**
 * Creates a client for programs in Effect: that of `HttpApiClient`, with the token, idempotency keys and
 * retries of `WaypostClient`. It uses the clock and randomness of the caller. Dies with a `TypeError` if the
 * settings are invalid.
 */
export const effectClient = (
  settings: ConnectionSettings,
): Effect.Effect<EffectClient, never, HttpClient.HttpClient> =>
  Effect.suspend(() =>
    HttpApiClient.make(PlatformApi, {
      baseUrl: target(settings).base,
      transformClient: connected(settings),
    }),
  );
