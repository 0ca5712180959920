import { Effect } from "effect";
import { HttpApiBuilder } from "effect/http-api";
import { Caller } from "../access/Caller.ts";
import { RegisteredDevices } from "../devices/RegisteredDevices.ts";
import { Cursors } from "../http/Cursors.ts";
import { PlatformApi } from "../PlatformApi.ts";
import { Explanations } from "./Explanations.ts";

/** Handlers of `ExplanationApi`. */
export const explanationHandlers = HttpApiBuilder.group(
  PlatformApi,
  "explanations",
  Effect.fnUntraced(function* (handlers) {
    const devices = yield* RegisteredDevices;
    const explanations = yield* Explanations;
    const cursors = yield* Cursors;
    return handlers.handle(
      "explain",
      Effect.fnUntraced(function* ({ params, query: { campaign, ...query } }) {
        const caller = yield* Caller;
        const deviceKey = yield* devices.keyOf(caller, params.device);
        const device = { ...(yield* devices.find(caller, params.device)), deviceKey };
        const scope = { endpoint: "GET /devices/explain", owner: caller, filters: { deviceKey, campaign } };
        const { data, meta } = yield* cursors.page(scope, query, (position) =>
          explanations.page(caller, device, campaign ?? null, position),
        );
        return { data: data.map(({ id, ...shown }) => ({ campaign_id: id, ...shown })), meta };
      }),
    );
  }),
);
