import { Effect } from "effect";
import { Caller, callerData } from "../access/Caller.ts";
import { Cursors } from "../http/Cursors.ts";
import { PlatformApi } from "../PlatformApi.ts";
import { handlerGroup } from "../wire/HandlerGroup.ts";
import { LocationGroups } from "./LocationGroups.ts";

/** Handlers of `LocationGroupsApi`. */
export const locationGroupsHandlers = handlerGroup(
  PlatformApi,
  "locationGroups",
  Effect.fnUntraced(function* (handlers) {
    const groups = yield* LocationGroups;
    const cursors = yield* Cursors;
    return handlers
      .handle("list", ({ query }) =>
        Effect.flatMap(Caller, (caller) => {
          const name = query.name ?? null;
          const scope = { endpoint: "GET /location-groups", owner: caller, filters: { name } };
          return cursors.page(scope, query, (position) => groups.page(caller, name, position));
        }),
      )
      .handle("get", ({ params }) => callerData((caller) => groups.find(caller, params.locationGroup)));
  }),
);
