import { Effect } from "effect";
import { Caller } from "../../access/Caller.ts";
import { CsvExports } from "../../http/csv/CsvExports.ts";
import { wantsCsv } from "../../http/csv/CsvParameters.ts";
import { Cursors } from "../../http/Cursors.ts";
import { PlatformApi } from "../../PlatformApi.ts";
import { handlerGroup } from "../../wire/HandlerGroup.ts";
import { DeliveryList } from "./DeliveryList.ts";

/** Handlers of `DeliveriesApi`. */
export const deliveriesHandlers = handlerGroup(
  PlatformApi,
  "deliveries",
  Effect.fnUntraced(function* (handlers) {
    const deliveries = yield* DeliveryList;
    const cursors = yield* Cursors;
    const exports = yield* CsvExports;
    return handlers.handle("list", ({ query }) =>
      Effect.gen(function* () {
        const caller = yield* Caller;
        const { campaign, device, notification, status } = query;
        const filters = { campaign, device, notification, status };
        if (yield* wantsCsv)
          return yield* exports.send(caller.workspaceId, yield* deliveries.file(caller, filters));
        const scope = { endpoint: "GET /deliveries", owner: caller, filters };
        return yield* cursors.page(scope, query, (position) => deliveries.page(caller, position, filters));
      }),
    );
  }),
);
