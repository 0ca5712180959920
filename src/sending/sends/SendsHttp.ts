import { Effect } from "effect";
import { Caller, callerData } from "../../access/Caller.ts";
import { CsvExports } from "../../http/csv/CsvExports.ts";
import { wantsCsv } from "../../http/csv/CsvParameters.ts";
import { Cursors } from "../../http/Cursors.ts";
import { PlatformApi } from "../../PlatformApi.ts";
import { handlerGroup } from "../../wire/HandlerGroup.ts";
import { Sends } from "./Sends.ts";

/** Handlers of `SendsApi`. */
export const sendsHandlers = handlerGroup(
  PlatformApi,
  "sends",
  Effect.fnUntraced(function* (handlers) {
    const sends = yield* Sends;
    const cursors = yield* Cursors;
    const exports = yield* CsvExports;
    return handlers
      .handle("list", ({ query: { campaign, status, ...query } }) =>
        Effect.gen(function* () {
          const caller = yield* Caller;
          const filters = { campaign, status };
          if (yield* wantsCsv)
            return yield* exports.send(caller.workspaceId, yield* sends.file(caller, filters));
          const scope = { endpoint: "GET /sends", owner: caller, filters };
          return yield* cursors.page(scope, query, (position) => sends.page(caller, position, filters));
        }),
      )
      .handle("get", ({ params }) => callerData((caller) => sends.find(caller, params.send)));
  }),
);
