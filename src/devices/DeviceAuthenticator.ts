import { Context, Effect } from "effect";
import { noteRequest } from "../database/RecentWorkspaces.ts";
import type { Authenticator, RefusedRequest } from "../http/Authenticators.ts";
import { anyOrigin } from "../http/CrossOrigin.ts";
import { DeviceCaller, SdkCaller } from "./DeviceCaller.ts";
import { DeviceAuthentication } from "./DeviceAuthentication.ts";

const base = "/device/v1";

/**
 * Authenticates requests to the device interface: credential, then workspace. Only unknown tokens are
 * limited.
 */
export const deviceAuthenticator: Effect.Effect<Authenticator, never, DeviceAuthentication> = Effect.map(
  DeviceAuthentication,
  (devices): Authenticator => ({
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
      return {
        provide: (services) => Context.add(services, DeviceCaller, caller),
        headers: {},
        log: { ...log, device: caller.deviceId },
      };
    }),
  }),
);
