import { Effect } from "effect";
import { CsvExports } from "../http/csv/CsvExports.ts";
import { wantsCsv } from "../http/csv/CsvParameters.ts";
import { Cursors } from "../http/Cursors.ts";
import { OperatorApi } from "../OperatorApi.ts";
import { handlerGroup } from "../wire/HandlerGroup.ts";
import { DeliveryList } from "./DeliveryList.ts";
import { OperatorTenants } from "./OperatorTenants.ts";

/** Handlers of `DeliveryListApi`. */
export const deliveryListHandlers = handlerGroup(
  OperatorApi,
  "deliveries",
  Effect.fnUntraced(function* (handlers) {
    const tenants = yield* OperatorTenants;
    const deliveries = yield* DeliveryList;
    const cursors = yield* Cursors;
    const exports = yield* CsvExports;
    return handlers.handle("list", ({ params, query }) =>
      Effect.gen(function* () {
        const tenant = yield* tenants.find(params);
        const { campaign, device, notification, status } = query;
        const filters = { campaign, device, notification, status };
        if (yield* wantsCsv) return yield* exports.send(yield* deliveries.file(tenant, filters));
        const scope = { endpoint: "GET /operator/deliveries", owner: tenant, filters };
        return yield* cursors.page(scope, query, (position) => deliveries.page(tenant, position, filters));
      }),
    );
  }),
);
