import { Effect } from "effect";
import { Activity } from "../../activity/Activity.ts";
import { filtersOf } from "../../activity/ActivityFilters.ts";
import { Cursors } from "../../http/Cursors.ts";
import { OperatorApi } from "../../OperatorApi.ts";
import { handlerGroup } from "../../wire/HandlerGroup.ts";
import { OperatorTenants } from "../OperatorTenants.ts";

/** Handlers of `ActivityListApi`. */
export const activityListHandlers = handlerGroup(
  OperatorApi,
  "activity",
  Effect.fnUntraced(function* (handlers) {
    const tenants = yield* OperatorTenants;
    const activity = yield* Activity;
    const cursors = yield* Cursors;
    return handlers.handle("list", ({ params, query }) =>
      Effect.flatMap(tenants.find(params), (tenant) => {
        const filters = filtersOf(query);
        const scope = { endpoint: "GET /operator/activity", owner: tenant, filters: { ...filters } };
        return cursors.page(scope, query, (position) => activity.page(tenant, position, filters));
      }),
    );
  }),
);
