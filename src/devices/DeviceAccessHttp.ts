import { Clock, Context, Effect, Layer, Option } from "effect";
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

/** The page of test devices names itself, so that nobody leads a browser to it with the key of an app. */
const notForTries = Forbidden.of(
  "origin_not_allowed",
  "The console has not made this SDK key for a test device within the last hour.",
);

/** Enforces `SdkAccess` and `DeviceAccess` for the authenticated caller. */
export const deviceAccessLayer = Layer.mergeAll(
  Layer.succeed(SdkAccess, {
    sdkKey: (httpEffect) =>
      Effect.gen(function* () {
        const caller = Context.getOption(yield* Effect.context(), SdkCaller);
        if (Option.isNone(caller)) return yield* needsSdkKey;
        const { origin, "waypost-try": isTry } = (yield* HttpServerRequest.HttpServerRequest).headers;
        const { allowedOrigins, triesUntil } = caller.value;
        // A request without the header comes from an app, not from a page (contract Y24).
        if (origin !== undefined && allowedOrigins !== null && !allowedOrigins.includes(origin))
          return yield* otherOrigin;
        if (isTry !== undefined && (allowedOrigins === null || (yield* Clock.currentTimeMillis) > triesUntil))
          return yield* notForTries;
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
