import { Effect } from "effect";
import { Caller } from "../access/Caller.ts";
import { RegisteredDevices } from "../devices/RegisteredDevices.ts";
import { Cursors } from "../http/Cursors.ts";
import { PlatformApi } from "../PlatformApi.ts";
import { handlerGroup } from "../wire/HandlerGroup.ts";
import { DeviceEventsSql } from "./DeviceEventsSql.ts";

/** Handlers of `DeviceEventsApi`. */
export const deviceEventsHandlers = handlerGroup(
  PlatformApi,
  "deviceEvents",
  Effect.fnUntraced(function* (handlers) {
    const devices = yield* RegisteredDevices;
    const events = yield* DeviceEventsSql;
    const cursors = yield* Cursors;
    return handlers.handle(
      "list",
      Effect.fnUntraced(function* ({ params, query }) {
        const caller = yield* Caller;
        const { key: deviceKey } = yield* devices.findWithKey(caller, params.device);
        const scope = { endpoint: "GET /devices/events", owner: caller, filters: { deviceKey } };
        return yield* cursors.page(scope, query, (position) => events.page(caller, deviceKey, position));
      }),
    );
  }),
);
