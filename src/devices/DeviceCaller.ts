import { Context } from "effect";
import type { DeviceId, DeviceKey } from "../wire/Ids.ts";
import type { Tenant } from "../workspaces/Workspace.ts";

/** An app that registers devices, authenticated by its SDK key. */
export class SdkCaller extends Context.Service<
  SdkCaller,
  Tenant & {
    /** The origins whose pages may use the key; null for any. */
    readonly allowedOrigins: ReadonlyArray<string> | null;
    /** Until when pages of test devices take the key, in epoch milliseconds; 0 for the key of an app. */
    readonly triesUntil: number;
  }
>()("waypost/devices/SdkCaller") {}

/** A device, authenticated by its own token. */
export class DeviceCaller extends Context.Service<
  DeviceCaller,
  Tenant & {
    readonly deviceId: DeviceId;
    /** The key by which events and deliveries refer to the device. */
    readonly deviceKey: DeviceKey;
    /** The digest of its token when the request arrived. */
    readonly tokenDigest: Uint8Array;
    /** The version of the tenant's locations when the request arrived. */
    readonly locationsVersion: number;
    /** The event types that active webhooks listened to when the request arrived. */
    readonly webhookEvents: ReadonlyArray<string>;
  }
>()("waypost/devices/DeviceCaller") {}
