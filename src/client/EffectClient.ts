import { Effect } from "effect";
import { HttpApiClient } from "effect/http-api";
import type { HttpClient } from "effect/http";
import { PlatformApi } from "../PlatformApi.ts";
import { connected, type ConnectionSettings, target } from "./Connection.ts";

/** The platform API as Effect derives it from its contract: schemas decoded, errors typed, an endpoint a method. */
export type EffectClient = HttpApiClient.ForApi<typeof PlatformApi>;

/**
 * For programs in Effect: the client that `HttpApiClient` derives from the contract, with the token, `Idempotency-Key` and retries of
 * `WaypostClient`. Time and randomness are the services of the caller. Dies with a `TypeError` when the settings are not right.
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
