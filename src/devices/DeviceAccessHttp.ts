import { Context, Effect, Layer, Option } from "effect";
import { HttpServerRequest } from "effect/http";
import { Forbidden, Unauthorized } from "../wire/ApiError.ts";
import { DeviceAccess, SdkAccess } from "./DeviceAccess.ts";
import { DeviceCaller, SdkCaller } from "./DeviceCaller.ts";
import { withRetryAfter } from "../wire/ErrorResponse.ts";

const needsSdkKey = Unauthorized.of(
  "invalid_token",
  "Registering a device needs the app's SDK key (wpk_…) as bearer, not a device token.",
);
const needsDeviceToken = Unauthorized.of(
  "invalid_token",
  "This endpoint needs the device's own token (wpd_…) as bearer: an SDK key only registers devices.",
);

const otherOrigin = Forbidden.of(
  "origin_not_allowed",
  "Pages of this origin may not register devices with this SDK key: see its allowed_origins.",
);

/** Enforces `SdkAccess` and `DeviceAccess` for the authenticated caller. */
export const deviceAccessLayer = Layer.mergeAll(
  Layer.succeed(SdkAccess, {
    sdkKey: (httpEffect) =>
      Effect.gen(function* () {
        const caller = Context.getOption(yield* Effect.context(), SdkCaller);
        if (Option.isNone(caller)) return yield* needsSdkKey;
        const { origin } = (yield* HttpServerRequest.HttpServerRequest).headers;
        const { allowedOrigins } = caller.value;
        // A request without the header comes from an app, not from a page (contract Y24).
        if (origin !== undefined && allowedOrigins !== null && !allowedOrigins.includes(origin))
          return yield* otherOrigin;
        return yield* Effect.provideService(withRetryAfter(httpEffect), SdkCaller, caller.value);
      }),
  }),
  Layer.succeed(DeviceAccess, {
    deviceToken: (httpEffect) =>
      Effect.gen(function* () {
        const caller = Context.getOption(yield* Effect.context(), DeviceCaller);
        if (Option.isNone(caller)) return yield* needsDeviceToken;
        return yield* Effect.provideService(withRetryAfter(httpEffect), DeviceCaller, caller.value);
      }),
  }),
);
