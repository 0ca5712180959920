import { Effect } from "effect";
import { DeviceApi } from "../DeviceApi.ts";
import { DeviceCaller } from "../devices/DeviceCaller.ts";
import { DeviceLimits } from "../devices/limits/DeviceLimits.ts";
import { handlerGroup } from "../wire/HandlerGroup.ts";
import { readParsedBody } from "../wire/ParsedBody.ts";
import { Positions } from "./Positions.ts";
import { PositionsBody } from "./PositionsApi.ts";

/** Handlers of `PositionsApi`. */
export const positionsHandlers = handlerGroup(
  DeviceApi,
  "positions",
  Effect.fnUntraced(function* (handlers) {
    const positions = yield* Positions;
    const limits = yield* DeviceLimits;
    return handlers.handleRaw("report", ({ endpoint, request }) =>
      Effect.gen(function* () {
        const body = yield* readParsedBody(PositionsBody, { request, endpoint });
        const caller = yield* DeviceCaller;
        const { length } = (yield* body.complete).positions;
        const report = (allowed: number) => positions.report(caller, body, allowed);
        return { data: yield* limits.report(caller, length, report) };
      }),
    );
  }),
);
