import { Effect } from "effect";
import { Caller } from "../../access/Caller.ts";
import { RegisteredDevices } from "../../devices/RegisteredDevices.ts";
import { Cursors } from "../../http/Cursors.ts";
import { PlatformApi } from "../../PlatformApi.ts";
import { handlerGroup } from "../../wire/HandlerGroup.ts";
import { Explanations } from "./Explanations.ts";

/** Handlers of `ExplanationApi`. */
export const explanationHandlers = handlerGroup(
  PlatformApi,
  "explanations",
  Effect.fnUntraced(function* (handlers) {
    const devices = yield* RegisteredDevices;
    const explanations = yield* Explanations;
    const cursors = yield* Cursors;
    return handlers.handle(
      "explain",
      Effect.fnUntraced(function* ({ params, query: { at, campaign, ...query } }) {
        const caller = yield* Caller;
        const { key: deviceKey, ...device } = yield* devices.findWithKey(caller, params.device);
        const scope = {
          endpoint: "GET /devices/explain",
          owner: caller,
          filters: { deviceKey, campaign, at },
        };
        const { data, meta } = yield* cursors.page(scope, query, (position) =>
          explanations.page(caller, { ...device, deviceKey }, campaign ?? null, at ?? null, position),
        );
        return { data: data.map(({ id, ...shown }) => ({ campaign_id: id, ...shown })), meta };
      }),
    );
  }),
);
