import { Effect } from "effect";
import { DeviceApi } from "../DeviceApi.ts";
import { DeviceCaller } from "../devices/DeviceCaller.ts";
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
    return handlers.handleRaw("report", ({ endpoint, request }) =>
      Effect.gen(function* () {
        const body = yield* readParsedBody(PositionsBody, { request, endpoint });
        return { data: yield* positions.report(yield* DeviceCaller, body) };
      }),
    );
  }),
);
