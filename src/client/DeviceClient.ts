import type { ConnectionSettings } from "./ClientOptions.ts";
import { Connection, credential, serverAddress } from "./Connection.ts";
import { endpointGroups } from "./EndpointGroups.ts";
import { deviceEndpoints, type DeviceGroups } from "./generated/DeviceEndpoints.ts";

export type { CallOptions, ConnectionSettings, Deleted } from "./ClientOptions.ts";
export type * from "./generated/DeviceEndpoints.ts";
export type { Page, Pages } from "./Pages.ts";
export type * from "./Portable.ts";
export { defaultRetryPolicy, type Retry, type RetryPolicy } from "./Retries.ts";
export { type FieldProblems, WaypostError, type WaypostErrorCode } from "./WaypostError.ts";

/** Settings of a client of the device interface: the SDK key to register, the device's token for the rest. */
export interface DeviceSettings extends ConnectionSettings {
  /** The SDK key of the app: `wpk_…`. Only `devices.register` needs it. */
  readonly sdkKey?: string | undefined;
  /** The device's own token, from `devices.register`: `wpd_…`. */
  readonly deviceToken?: string | undefined;
}

/**
 * A client of the device interface, for apps: `devices`, `events`, `positions`, `messages` and the other
 * groups of endpoints. Every method returns a promise and rejects with a `WaypostError`. Events, positions,
 * opens, clicks and answers are safe to repeat, and are retried. A new token (`devices.rotate`) is retried
 * only if the server refused it with 429.
 */
export type DeviceClient = DeviceGroups;

/**
 * Makes a client of the device interface.
 * @throws TypeError if the url or a credential is invalid
 */
export const DeviceClient = class DeviceClient {
  constructor(settings: DeviceSettings) {
    const sentence = "The client needs an SDK key or a device token: new DeviceClient({ url, deviceToken }).";
    if (settings.sdkKey === undefined && settings.deviceToken === undefined) throw new TypeError(sentence);
    const read = (value: string | undefined) =>
      value === undefined ? undefined : credential(value, sentence);
    const keys = { sdkKey: read(settings.sdkKey), deviceToken: read(settings.deviceToken) };
    const { origin, path } = serverAddress(settings.url);
    const groups = endpointGroups(deviceEndpoints, {
      connection: new Connection(settings),
      base: `${origin}${path.replace(/\/device\/v1$/, "")}/device/v1`,
      credentialFor: (isSdkKey) => {
        const name = isSdkKey ? "sdkKey" : "deviceToken";
        const value = keys[name];
        if (value === undefined)
          throw new TypeError(`This call needs ${name}: set it in new DeviceClient().`);
        return value;
      },
    });
    Object.assign(this, groups);
  }
} as unknown as new (settings: DeviceSettings) => DeviceClient;
