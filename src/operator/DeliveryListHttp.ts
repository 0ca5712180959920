import { Effect } from "effect";
import { HttpApiBuilder } from "effect/http-api";
import { Cursors } from "../http/Cursors.ts";
import { OperatorApi } from "../OperatorApi.ts";
import { DeliveryList } from "./DeliveryList.ts";
import { OperatorTenants } from "./OperatorTenants.ts";

/** Handlers of `DeliveryListApi`. */
export const deliveryListHandlers = HttpApiBuilder.group(
  OperatorApi,
  "deliveries",
  Effect.fnUntraced(function* (handlers) {
    const tenants = yield* OperatorTenants;
    const deliveries = yield* DeliveryList;
    const cursors = yield* Cursors;
    return handlers.handle("list", ({ params, query }) =>
      Effect.flatMap(tenants.find(params), (tenant) => {
        const { campaign, device, notification, status } = query;
        const filters = { campaign, device, notification, status };
        const scope = { endpoint: "GET /operator/deliveries", owner: tenant, filters };
        return cursors.page(scope, query, (position) => deliveries.page(tenant, position, filters));
      }),
    );
  }),
);
