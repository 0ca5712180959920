import { Clock, Context, Effect } from "effect";
import { noteRequest } from "../database/RecentWorkspaces.ts";
import type { Authenticator, RefusedRequest } from "../http/Authenticators.ts";
import { anyOrigin } from "../http/CrossOrigin.ts";
import { rateLimited, rateLimitHeaders } from "../http/RateLimits.ts";
import { DeviceCaller, SdkCaller } from "./DeviceCaller.ts";
import { DeviceAuthentication } from "./DeviceAuthentication.ts";
import { DeviceLimits, LimitedRequest } from "./limits/DeviceLimits.ts";

const base = "/device/v1";

/**
 * Authenticates requests to the device interface: credential, workspace, then the limit of requests with the
 * token of a device (contract TR2).
 */
export const deviceAuthenticator: Effect.Effect<Authenticator, never, DeviceAuthentication | DeviceLimits> =
  Effect.gen(function* () {
    const devices = yield* DeviceAuthentication;
    const limits = yield* DeviceLimits;
    return {
      name: "device",
      crossOrigin: anyOrigin("Authorization, Content-Type, X-Device-Token, Traceparent, If-None-Match"),
      match: ({ request: { url } }) =>
        url === base || url.startsWith(`${base}/`) || url.startsWith(`${base}?`) ? url : null,
      authenticate: Effect.fnUntraced(function* ({ clientAddress, request }) {
        const authenticated = yield* Effect.mapError(
          devices.authenticate({ authorization: request.headers["authorization"], clientAddress }),
          (error): RefusedRequest => ({ error, headers: {} }),
        );
        const { environment, workspace, workspaceId } = authenticated.caller;
        noteRequest(workspaceId);
        const log = { workspace: workspace.id, environment };
        if (authenticated._tag === "App") {
          const { caller } = authenticated;
          return { provide: (services) => Context.add(services, SdkCaller, caller), headers: {}, log };
        }
        const { caller } = authenticated;
        const { granted, window } = yield* limits.takeRequest(caller);
        const now = yield* Clock.currentTimeMillis;
        const windows = window === null ? [] : [window];
        const headers = rateLimitHeaders(windows, now);
        if (granted === 0)
          return yield* Effect.fail<RefusedRequest>({ error: rateLimited(windows, now, "device"), headers });
        return {
          provide: (services) =>
            Context.add(Context.add(services, DeviceCaller, caller), LimitedRequest, { window, headers }),
          headers,
          log: { ...log, device: caller.deviceId },
        };
      }),
    } satisfies Authenticator;
  });
