import { Effect } from "effect";
import { Caller, callerData } from "../access/Caller.ts";
import { CsvExports } from "../http/csv/CsvExports.ts";
import { wantsCsv } from "../http/csv/CsvParameters.ts";
import { Cursors } from "../http/Cursors.ts";
import { PlatformApi } from "../PlatformApi.ts";
import { handlerGroup } from "../wire/HandlerGroup.ts";
import { readParsedBody } from "../wire/ParsedBody.ts";
import { exactText, searchPattern } from "../wire/SearchText.ts";
import { Audiences } from "./Audiences.ts";
import { Approval } from "./Device.ts";
import { RegisteredDevices } from "./RegisteredDevices.ts";

/** Handlers of `RegisteredDevicesApi`. */
export const registeredDevicesHandlers = handlerGroup(
  PlatformApi,
  "devices",
  Effect.fnUntraced(function* (handlers) {
    const devices = yield* RegisteredDevices;
    const audiences = yield* Audiences;
    const cursors = yield* Cursors;
    const exports = yield* CsvExports;
    return handlers
      .handle("list", ({ query: { approved, platform, q, user_id, ...query } }) =>
        Effect.gen(function* () {
          const caller = yield* Caller;
          const filters = { approved, platform, userId: exactText(user_id), search: searchPattern(q) };
          if (yield* wantsCsv)
            return yield* exports.send(caller.workspaceId, yield* devices.file(caller, filters));
          const scope = { endpoint: "GET /devices", owner: caller, filters };
          return yield* cursors.page(scope, query, (position) => devices.page(caller, position, filters));
        }),
      )
      .handle("get", ({ params }) => callerData((caller) => devices.find(caller, params.device)))
      .handleRaw("approve", ({ params, ...input }) =>
        callerData(
          Effect.fnUntraced(function* (caller) {
            // An unknown id is reported before problems of the body (contract B1, 10 and 11).
            yield* devices.findWithKey(caller, params.device);
            const { approved } = yield* (yield* readParsedBody(Approval, input)).complete;
            return yield* devices.setApproved(caller, params.device, approved);
          }),
        ),
      )
      .handle("attributes", () => Effect.flatMap(Caller, audiences.attributes));
  }),
);
