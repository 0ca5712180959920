import { Effect } from "effect";
import { DeviceApi } from "../DeviceApi.ts";
import { DeviceCaller } from "../devices/DeviceCaller.ts";
import { unlessKnown } from "../http/EntityTag.ts";
import { handlerGroup } from "../wire/HandlerGroup.ts";
import { Geofences } from "./Geofences.ts";

/** Handlers of `GeofencesApi`. */
export const geofencesHandlers = handlerGroup(
  DeviceApi,
  "geofences",
  Effect.fnUntraced(function* (handlers) {
    const geofences = yield* Geofences;
    return handlers.handle("nearest", ({ headers, query: { lat, limit = 20, lng } }) =>
      Effect.gen(function* () {
        const data = yield* geofences.nearest(yield* DeviceCaller, { latitude: lat, longitude: lng }, limit);
        return unlessKnown(headers["if-none-match"], { data });
      }),
    );
  }),
);
