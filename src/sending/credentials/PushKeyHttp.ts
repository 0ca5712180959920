import { Effect } from "effect";
import { DeviceApi } from "../../DeviceApi.ts";
import { DeviceCaller } from "../../devices/DeviceCaller.ts";
import { handlerGroup } from "../../wire/HandlerGroup.ts";
import { PushCredentials } from "./PushCredentials.ts";

/** Handlers of `PushKeyApi`. */
export const pushKeyHandlers = handlerGroup(
  DeviceApi,
  "pushKey",
  Effect.fnUntraced(function* (handlers) {
    const credentials = yield* PushCredentials;
    return handlers.handle("show", () =>
      Effect.map(Effect.flatMap(DeviceCaller, credentials.list), (shown) => ({
        data: { public_key: shown.find(({ transport }) => transport === "webpush")?.public_key ?? null },
      })),
    );
  }),
);
