import { Effect } from "effect";
import { HttpServerResponse } from "effect/http";
import { DeviceApi } from "../DeviceApi.ts";
import { handlerGroup } from "../wire/HandlerGroup.ts";
import { readParsedBody } from "../wire/ParsedBody.ts";
import { DevicePatch, RegistrationDraft } from "./Device.ts";
import { DeviceCaller, SdkCaller } from "./DeviceCaller.ts";
import { Devices } from "./Devices.ts";
import { Registrations } from "./registration/Registrations.ts";

/** Handlers of `DevicesApi`. */
export const devicesHandlers = handlerGroup(
  DeviceApi,
  "devices",
  Effect.fnUntraced(function* (handlers) {
    const devices = yield* Devices;
    const registrations = yield* Registrations;
    return handlers
      .handleRaw("register", ({ endpoint, headers, params, request }) =>
        Effect.gen(function* () {
          const body = yield* readParsedBody(RegistrationDraft, { request, endpoint });
          const presented = headers["x-device-token"];
          const caller = yield* SdkCaller;
          const { isNew, registration } = yield* registrations.register(
            caller,
            params.installation_id,
            presented,
            body,
          );
          return HttpServerResponse.jsonUnsafe({ data: registration }, { status: isNew ? 201 : 200 });
        }),
      )
      .handleRaw("change", ({ endpoint, request }) =>
        Effect.gen(function* () {
          const body = yield* readParsedBody(DevicePatch, { request, endpoint });
          return { data: yield* devices.change(yield* DeviceCaller, body) };
        }),
      )
      .handle("unregister", () =>
        Effect.gen(function* () {
          return { data: yield* devices.unregister(yield* DeviceCaller) };
        }),
      )
      .handle("rotate", () =>
        Effect.gen(function* () {
          return { data: yield* devices.rotate(yield* DeviceCaller) };
        }),
      );
  }),
);
