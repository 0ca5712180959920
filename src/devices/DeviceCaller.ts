import { Context } from "effect";
import type { Tenant } from "../workspaces/Workspace.ts";

/** An app that registers devices, let in by its SDK key. */
export class SdkCaller extends Context.Service<SdkCaller, Tenant>()("waypost/devices/SdkCaller") {}

/** A device that speaks for itself, let in by its own token. */
export class DeviceCaller extends Context.Service<
  DeviceCaller,
  Tenant & {
    readonly deviceId: string;
    /** The device's number, by which events and deliveries know it. */
    readonly deviceKey: number;
    /** How often the tenant's places had changed when the request came. */
    readonly locationsVersion: number;
  }
>()("waypost/devices/DeviceCaller") {}
