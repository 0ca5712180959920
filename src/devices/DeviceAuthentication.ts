import { Clock, Context, Effect, Layer } from "effect";
import { bearer, digest } from "../access/Credential.ts";
import { FailedAttempts } from "../access/FailedAttempts.ts";
import { cachedLookup } from "../access/CachedLookup.ts";
import { Tokens } from "../access/Tokens.ts";
import { batched } from "../database/Batched.ts";
import { utcText } from "../time/LocalTime.ts";
import { Forbidden, Unauthorized } from "../wire/ApiError.ts";
import { Workspaces } from "../workspaces/Workspaces.ts";
import type { DeviceCaller, SdkCaller } from "./DeviceCaller.ts";
import { type DeviceGrant, DevicesSql } from "./DevicesSql.ts";
import { type DeviceTokenClaims, isTokenOf, openDeviceToken } from "./DeviceToken.ts";

/** `last_seen_at` is exact to five minutes. */
const seenMillis = 300_000;

/** The name of the SDK keys that the console makes for test devices, and how long a page takes one. */
const [tryKeyName, tryMillis] = ["Try it here", 3_600_000];

/** The authenticated caller: an app by its SDK key, or a device by its own token. */
export type AuthenticatedDevice =
  | { readonly _tag: "App"; readonly caller: SdkCaller["Service"] }
  | { readonly _tag: "Device"; readonly caller: DeviceCaller["Service"] };

/** The parts of a request that authentication reads. */
export interface DeviceAuthenticationAttempt {
  readonly authorization: string | undefined;
  /** The address of the client, behind trusted proxies. */
  readonly clientAddress: string;
}

/**
 * Authenticates requests to the device interface by their credential, before they are routed. It checks the
 * throttle of unknown tokens, the credential and the workspace, in this order (contract B1).
 */
export class DeviceAuthentication extends Context.Service<DeviceAuthentication>()(
  "waypost/devices/DeviceAuthentication",
  {
    make: Effect.gen(function* () {
      const repository = yield* DevicesSql;
      const workspaces = yield* Workspaces;
      const tokens = yield* Tokens;
      const attempts = yield* FailedAttempts;

      const findWorkspace = yield* cachedLookup(
        ({ workspaceId }) => workspaceId,
        (workspaceId: number) => workspaces.get(workspaceId),
      );

      // A revoked token must end in every process immediately, so every request reads it, in batches.
      const identify = yield* batched<DeviceTokenClaims, DeviceGrant | null, never, never>({
        maxBatch: 500,
        keyOf: ({ workspaceId }) => workspaceId,
        run: Effect.fnUntraced(function* (claims) {
          const grants: Array<DeviceGrant | null> = claims.map(() => null);
          for (const grant of yield* repository.identify(claims)) grants[grant.ord - 1] = grant;
          return grants;
        }),
        pause: 1,
      });

      /** The workspace of a valid credential. @throws 403 */
      const activeWorkspace = Effect.fnUntraced(function* (workspaceId: number) {
        const row = yield* findWorkspace(workspaceId);
        if (row === null) return yield* Effect.die(new Error("The workspace of a credential does not exist"));
        if (row.workspace.deletion_scheduled_at !== null) {
          return yield* Forbidden.of(
            "workspace_paused",
            "This workspace is scheduled for deletion, so its keys and devices do not work.",
          );
        }
        return row;
      });

      const authenticateApp = Effect.fnUntraced(function* (key: string) {
        const grant = yield* tokens.findSdkKey(key);
        if (grant === null) return null;
        if (grant.revoked_at !== null) {
          return yield* Unauthorized.of(
            "token_revoked",
            `The SDK key "${grant.name}" was revoked on ${utcText(grant.revoked_at.getTime())}: ` +
              "use another one.",
          );
        }
        const { allowed_origins: allowedOrigins, created_at, environment, name } = grant;
        const triesUntil = name === tryKeyName ? created_at.getTime() + tryMillis : 0;
        const workspace = yield* activeWorkspace(grant.workspace_id);
        const caller = { ...workspace, environment, allowedOrigins, triesUntil };
        yield* tokens.touchSdkKey(grant.id);
        return { _tag: "App", caller } satisfies AuthenticatedDevice;
      });

      const authenticateDevice = Effect.fnUntraced(function* (token: string) {
        const opened = openDeviceToken(token);
        if (opened === null) return null;
        const { claims, secret } = opened;
        const grant = yield* identify(claims);
        if (grant === null || !isTokenOf(grant.token_digest, secret)) return null;
        if (grant.unregistered) {
          return yield* Unauthorized.of(
            "token_revoked",
            "This device was unregistered, which ended its token: register it again.",
          );
        }
        const row = yield* activeWorkspace(claims.workspaceId);
        const now = yield* Clock.currentTimeMillis;
        if (!grant.token_used) {
          // From now on a repeated registration requires the token, so the use is stored before the response.
          if (!(yield* repository.markUsed(claims, digest(secret), now))) return null;
        } else if (now - grant.last_seen_ms > seenMillis) {
          yield* Effect.forkDetach(Effect.ignoreCause(repository.touch(claims, now)));
        }
        const caller = {
          ...row,
          environment: claims.environment,
          deviceId: grant.id,
          deviceKey: claims.deviceKey,
          tokenDigest: grant.token_digest,
          locationsVersion: grant.locations_version,
          webhookEvents: grant.webhook_events,
        };
        return { _tag: "Device", caller } satisfies AuthenticatedDevice;
      });

      return {
        authenticate: Effect.fnUntraced(function* (attempt: DeviceAuthenticationAttempt) {
          const credential = bearer(attempt.authorization);
          if (credential === null) {
            return yield* Unauthorized.of(
              "missing_token",
              "Send the device's token, or to register a device the SDK key, in the Authorization header: " +
                "Bearer <token>.",
            );
          }
          const caller = (yield* authenticateDevice(credential)) ?? (yield* authenticateApp(credential));
          if (caller !== null) return caller;
          return yield* yield* attempts.refuse(
            attempt.clientAddress,
            "This device token or SDK key is not known here, or has been replaced by a newer one.",
          );
        }),
      };
    }),
  },
) {
  static readonly layer = Layer.effect(DeviceAuthentication, DeviceAuthentication.make).pipe(
    Layer.provide(DevicesSql.layer),
  );
}
