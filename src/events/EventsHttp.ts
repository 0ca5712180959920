import { Effect } from "effect";
import { DeviceApi } from "../DeviceApi.ts";
import { DeviceCaller } from "../devices/DeviceCaller.ts";
import { DeviceLimits } from "../devices/limits/DeviceLimits.ts";
import { handlerGroup } from "../wire/HandlerGroup.ts";
import { readParsedBody } from "../wire/ParsedBody.ts";
import { Events } from "./Events.ts";
import { EventsBody } from "./EventsApi.ts";

/** Handlers of `EventsApi`. */
export const eventsHandlers = handlerGroup(
  DeviceApi,
  "events",
  Effect.fnUntraced(function* (handlers) {
    const events = yield* Events;
    const limits = yield* DeviceLimits;
    return handlers.handleRaw("report", ({ endpoint, request }) =>
      Effect.gen(function* () {
        const body = yield* readParsedBody(EventsBody, { request, endpoint });
        const caller = yield* DeviceCaller;
        const { length } = (yield* body.complete).events;
        const report = (allowed: number) => events.report(caller, body, allowed);
        return { data: yield* limits.report(caller, length, report) };
      }),
    );
  }),
);
