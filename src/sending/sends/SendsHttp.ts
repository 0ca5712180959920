import { Effect } from "effect";
import { Caller, callerData } from "../../access/Caller.ts";
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
    return handlers
      .handle("list", ({ query: { campaign, status, ...query } }) =>
        Effect.flatMap(Caller, (caller) => {
          const filters = { campaign, status };
          const scope = { endpoint: "GET /sends", owner: caller, filters };
          return cursors.page(scope, query, (position) => sends.page(caller, position, filters));
        }),
      )
      .handle("get", ({ params }) => callerData((caller) => sends.find(caller, params.send)));
  }),
);
