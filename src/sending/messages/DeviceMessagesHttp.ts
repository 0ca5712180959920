import { Effect } from "effect";
import { Caller } from "../../access/Caller.ts";
import { RegisteredDevices } from "../../devices/RegisteredDevices.ts";
import { Cursors } from "../../http/Cursors.ts";
import { PlatformApi } from "../../PlatformApi.ts";
import { handlerGroup } from "../../wire/HandlerGroup.ts";
import { Messages } from "./Messages.ts";

/** Handlers of `DeviceMessagesApi`. */
export const deviceMessagesHandlers = handlerGroup(
  PlatformApi,
  "deviceMessages",
  Effect.fnUntraced(function* (handlers) {
    const devices = yield* RegisteredDevices;
    const messages = yield* Messages;
    const cursors = yield* Cursors;
    return handlers.handle(
      "list",
      Effect.fnUntraced(function* ({ params, query }) {
        const caller = yield* Caller;
        const { key: deviceKey } = yield* devices.findWithKey(caller, params.device);
        const scope = { endpoint: "GET /devices/messages", owner: caller, filters: { deviceKey } };
        return yield* cursors.page({ ...scope, isLarge: true }, query, (position) =>
          messages.page({ ...caller, deviceKey }, position),
        );
      }),
    );
  }),
);
