import { HttpApiMiddleware, HttpApiSecurity, OpenApi } from "effect/http-api";
import {
  Forbidden,
  InternalError,
  ServiceUnavailable,
  TooManyRequests,
  Unauthorized,
} from "../wire/ApiError.ts";
import type { DeviceCaller, SdkCaller } from "./DeviceCaller.ts";

const error = [Unauthorized, Forbidden, TooManyRequests, InternalError, ServiceUnavailable] as const;
const bearer = (description: string) =>
  HttpApiSecurity.bearer.pipe(HttpApiSecurity.annotate(OpenApi.Description, description));

/**
 * Middleware of endpoints that an app calls with its SDK key, which is checked before the request is routed.
 */
export class SdkAccess extends HttpApiMiddleware.Service<SdkAccess, { provides: SdkCaller }>()(
  "waypost/devices/SdkAccess",
  { error, security: { sdkKey: bearer("An SDK key of one environment of a workspace: `wpk_…`.") } },
) {}

/**
 * Middleware of endpoints that a device calls with its token, which is checked before the request is routed.
 */
export class DeviceAccess extends HttpApiMiddleware.Service<DeviceAccess, { provides: DeviceCaller }>()(
  "waypost/devices/DeviceAccess",
  { error, security: { deviceToken: bearer("The device's own token: `wpd_…`.") } },
) {}
