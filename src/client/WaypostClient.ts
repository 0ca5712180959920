import type { CallOptions, ConnectionSettings } from "./ClientOptions.ts";
import { Connection, credential, serverAddress } from "./Connection.ts";
import { endpointGroups } from "./EndpointGroups.ts";
import { type Me, platformEndpoints, type PlatformGroups } from "./generated/PlatformEndpoints.ts";

export type * from "./ClientOptions.ts";
export type * from "./generated/PlatformEndpoints.ts";
export type { Page, Pages } from "./Pages.ts";
export type * from "./Portable.ts";
export { defaultRetryPolicy, type Retry, type RetryPolicy } from "./Retries.ts";
export { type FieldProblems, WaypostError, type WaypostErrorCode } from "./WaypostError.ts";

/** Settings of a client of the platform API. */
export interface ClientSettings extends ConnectionSettings {
  /**
   * A platform API token: `wps_…` for Sandbox, `wpp_…` for Production. The token selects the environment. If
   * an environment has its own base address, set `url` to that address, ending in `/platform/v1`. The
   * operator key of the server works too, with `workspace` and `environment`.
   */
  readonly token: string;
  /** With the operator key: the id of the workspace. A token has its own. */
  readonly workspace?: string | undefined;
  /** With the operator key: the environment, unless `url` is its base address. */
  readonly environment?: "sandbox" | "production" | undefined;
}

const basePath = "/platform/v1";

/** The base address of the environment that a setting, a token or an address selects. */
const baseOf = ({ environment, url }: ClientSettings, token: string): string => {
  const { origin, path } = serverAddress(url);
  if (path.endsWith(basePath)) return origin + path;
  if (environment === "sandbox" || token.startsWith("wps_")) return `${origin}${path}/sandbox${basePath}`;
  if (environment === "production" || token.startsWith("wpp_")) return `${origin}${path}${basePath}`;
  throw new TypeError(
    "The token starts neither with wps_ (Sandbox) nor with wpp_ (Production). If it is a platform API " +
      `token, set url to the base address of its environment, ending in ${basePath}.`,
  );
};

/**
 * A client of the platform API for one environment: `campaigns`, `notifications`, `locations` and the other
 * groups of endpoints. Every method returns a promise and rejects with a `WaypostError`. Calls are retried by
 * `defaultRetryPolicy` and wait as long as `Retry-After` says. Every change has an `Idempotency-Key`, so that
 * it happens once.
 */
export type WaypostClient = Omit<PlatformGroups, "me"> & {
  /** Retrieves the workspace, environment and abilities of the token. */
  readonly me: (options?: CallOptions) => Promise<Me>;
};

/**
 * Makes a client of the platform API.
 * @throws TypeError if the url or the token is invalid
 */
export const WaypostClient = class WaypostClient {
  constructor(settings: ClientSettings) {
    const token = credential(
      settings.token,
      "The client needs a platform API token: new WaypostClient({ url, token }).",
    );
    const { me, ...groups } = endpointGroups(platformEndpoints, {
      connection: new Connection(settings),
      base: baseOf(settings, token),
      credentialFor: () => token,
      headers: settings.workspace === undefined ? {} : { "waypost-workspace": settings.workspace },
    }) as PlatformGroups;
    Object.assign(this, groups, { me: me.get });
  }
} as unknown as new (settings: ClientSettings) => WaypostClient;
