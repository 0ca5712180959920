import { Context, Effect } from "effect";
import type { Authenticator, RefusedRequest } from "../http/Authenticators.ts";
import { DeviceCaller, SdkCaller } from "./DeviceCaller.ts";
import { DeviceAuthentication } from "./DeviceAuthentication.ts";

const base = "/device/v1";

/** The door of the device interface: credential, then workspace. It has no rate limits but the throttle of failed ones. */
export const deviceAuthenticator: Effect.Effect<Authenticator, never, DeviceAuthentication> = Effect.map(
  DeviceAuthentication,
  (gate): Authenticator => ({
    name: "device",
    match: ({ request: { url } }) =>
      url === base || url.startsWith(`${base}/`) || url.startsWith(`${base}?`) ? url : null,
    authenticate: Effect.fnUntraced(function* ({ clientAddress, request }) {
      const visitor = yield* Effect.mapError(
        gate.authenticate({ authorization: request.headers["authorization"], clientAddress }),
        (error): RefusedRequest => ({ error, headers: {} }),
      );
      const { environment, workspace } = visitor.caller;
      const log = { workspace: workspace.id, environment };
      if (visitor._tag === "App") {
        const { caller } = visitor;
        return { provide: (services) => Context.add(services, SdkCaller, caller), headers: {}, log };
      }
      const { caller } = visitor;
      return {
        provide: (services) => Context.add(services, DeviceCaller, caller),
        headers: {},
        log: { ...log, device: caller.deviceId },
      };
    }),
  }),
);
