import { Effect } from "effect";
import { Caller } from "../access/Caller.ts";
import { Cursors } from "../http/Cursors.ts";
import { PlatformApi } from "../PlatformApi.ts";
import { handlerGroup } from "../wire/HandlerGroup.ts";
import { Activity } from "./Activity.ts";
import { filtersOf } from "./ActivityFilters.ts";

/** Handlers of `ActivityApi`. */
export const activityHandlers = handlerGroup(
  PlatformApi,
  "activity",
  Effect.fnUntraced(function* (handlers) {
    const activity = yield* Activity;
    const cursors = yield* Cursors;
    return handlers.handle("list", ({ query }) =>
      Effect.flatMap(Caller, (caller) => {
        const filters = filtersOf(query);
        const scope = { endpoint: "GET /activity", owner: caller, filters: { ...filters } };
        return cursors.page({ ...scope, isLarge: true }, query, (position) =>
          activity.page(caller, position, filters),
        );
      }),
    );
  }),
);
