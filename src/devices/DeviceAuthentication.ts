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
import { isTokenOf } from "./Devices.ts";
import { type DeviceGrant, DevicesSql } from "./DevicesSql.ts";
import { type DeviceTokenClaims, openDeviceToken } from "./DeviceToken.ts";

/** `last_seen_at` is right to five minutes. */
const seenMillis = 300_000;

/** Who was let in: an app by its SDK key, or a device by its own token. */
export type AuthenticatedDevice =
  | { readonly _tag: "App"; readonly caller: SdkCaller["Service"] }
  | { readonly _tag: "Device"; readonly caller: DeviceCaller["Service"] };

/** What the gate needs to know of a request. */
export interface DeviceAuthenticationAttempt {
  readonly authorization: string | undefined;
  /** Where the request comes from, behind trusted proxies. */
  readonly clientAddress: string;
}

/**
 * Lets a request in to the device interface by its credential, before it is routed and before a byte of its body is read: the
 * failed-token throttle, the credential and the workspace, in this order (contract B1).
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

      // A token ends in every process at once, so it is looked up for every request, and together with those of others.
      const identify = yield* batched<DeviceTokenClaims, DeviceGrant | null, never, never>(
        500,
        Effect.fnUntraced(function* (keys) {
          const found: Array<DeviceGrant | null> = keys.map(() => null);
          for (const grant of yield* repository.identify(keys)) found[grant.ord - 1] = grant;
          return found;
        }),
        1,
      );

      /** The workspace of a credential that is good. */
      const enter = Effect.fnUntraced(function* (workspaceId: number) {
        const row = yield* findWorkspace(workspaceId);
        if (row === null) return yield* Effect.die(new Error("A credential's workspace is not there"));
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
            `The SDK key "${grant.name}" was revoked on ${utcText(grant.revoked_at.getTime())}: use another one.`,
          );
        }
        const caller = { ...(yield* enter(grant.workspace_id)), environment: grant.environment };
        yield* tokens.touchSdkKey(grant.id);
        return { _tag: "App", caller } satisfies AuthenticatedDevice;
      });

      const authenticateDevice = Effect.fnUntraced(function* (token: string) {
        const opened = openDeviceToken(token);
        if (opened === null) return null;
        const { key, secret } = opened;
        const grant = yield* identify(key);
        if (grant === null || !isTokenOf(grant.token_digest, secret)) return null;
        if (grant.unregistered) {
          return yield* Unauthorized.of(
            "token_revoked",
            "This device was unregistered, which ended its token: register it again.",
          );
        }
        const row = yield* enter(key.workspaceId);
        const now = yield* Clock.currentTimeMillis;
        if (!grant.token_used) {
          // From here on a repeated registration needs the token, so this is known before anything is answered.
          if ((yield* repository.markUsed(key, digest(secret), now)).length === 0) return null;
        } else if (now - grant.last_seen_ms > seenMillis) {
          yield* Effect.forkDetach(Effect.ignoreCause(repository.touch(key, now)));
        }
        const caller = {
          ...row,
          environment: key.environment,
          deviceId: grant.id,
          deviceKey: key.key,
          locationsVersion: grant.locations_version,
        };
        return { _tag: "Device", caller } satisfies AuthenticatedDevice;
      });

      return {
        authenticate: Effect.fnUntraced(function* (attempt: DeviceAuthenticationAttempt) {
          const credential = bearer(attempt.authorization);
          if (credential === null) {
            return yield* Unauthorized.of(
              "missing_token",
              "Send the device's token, or to register a device the SDK key, in the Authorization header: Bearer <token>.",
            );
          }
          const visitor = (yield* authenticateDevice(credential)) ?? (yield* authenticateApp(credential));
          if (visitor !== null) return visitor;
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
