import { Context, Effect, Layer, Option } from "effect";
import { Unauthorized } from "../wire/ApiError.ts";
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

/** Enforces `SdkAccess` and `DeviceAccess` for the authenticated caller. */
export const deviceAccessLayer = Layer.mergeAll(
  Layer.succeed(SdkAccess, {
    sdkKey: (httpEffect) =>
      Effect.gen(function* () {
        const caller = Context.getOption(yield* Effect.context(), SdkCaller);
        if (Option.isNone(caller)) return yield* needsSdkKey;
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
